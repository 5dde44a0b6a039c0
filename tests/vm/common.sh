# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What run, fetch-kernel and build-kernel share: messages, missing tools, the cache.

export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin # where an unprivileged user finds depmod and modprobe

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

die() {
  say "$*"
  exit 125
}

# help: the comment at the top of the script.
help() { sed -n '4,/^[^#]/ s/^# \{0,1\}//p' "$0"; }

# need TOOL=PACKAGE...: ends with the packages of the tools that are missing.
need() {
  local pair tools='' packages=''
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null && continue
    tools+=" ${pair%%=*}"
    [[ " $packages " == *" ${pair#*=} "* ]] || packages+=" ${pair#*=}"
  done
  [ -z "$tools" ] || die "missing:$tools; try: apt-get install --no-install-recommends$packages"
}

# open_cache: makes the cache's directory, and sets $cache. Without a home that can
# be written it is one of our own in the directory for temporary files.
open_cache() {
  local home=~
  cache=${RETUNE_VM_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/retune-vm}
  if [ -z "${RETUNE_VM_CACHE-}" ] && ! mkdir -p "$cache" 2>/dev/null; then
    cache=${TMPDIR:-/tmp}/retune-vm-$(id -u)
  fi
  mkdir -p "$cache" 2>/dev/null || true
  [[ -O $cache && -w $cache ]] ||
    die "cannot write the cache $cache; set RETUNE_VM_CACHE to a directory of yours"
  cache=$(realpath "$cache")
}

# lock NAME: until the script ends, or a call of unlock, nobody else has it.
lock() {
  exec 9>"$cache/$1.lock"
  flock -w 3 9 || {
    say "waiting for another one to finish with $cache"
    flock 9
  }
}
unlock() { exec 9>&-; }
