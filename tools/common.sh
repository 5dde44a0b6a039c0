# SPDX-License-Identifier: GPL-2.0-or-later
# What tools/demo and tools/check share: messages, and installing what is missing.

bold=
plain=
if [ -t 1 ]; then
  bold=$(printf '\033[1m')
  plain=$(printf '\033[0m')
fi
say() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Goes on as root, for apt-get and for the namespace of the simulated machine.
become_root() {
  [ "$(id -u)" -eq 0 ] && return
  command -v sudo >/dev/null || die "needs root, and there is no sudo; run it as root"
  exec sudo --preserve-env=CI -- "$0" "$@"
}

BUILD_PACKAGES="gcc libc6-dev cmake ninja-build pkg-config libglib2.0-dev libglib2.0-dev-bin
  libjson-c-dev libcpupower-dev libgudev-1.0-dev libsystemd-dev libumockdev-dev umockdev"
RUN_PACKAGES="dbus libglib2.0-bin systemd"

VM_PACKAGES="qemu-system-x86 acpica-tools busybox-static cpio xz-utils kmod udev strace
  linux-cpupower util-linux"

# install PACKAGE...: installs those of them that are missing.
install_missing() {
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "Installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } </dev/null \
    >"$LOG" 2>&1 || { tail -n 20 "$LOG" >&2; die "apt-get could not install$missing"; }
}

# build PRESET: configures, builds and stages it in build/PRESET/stage.
build() {
  say "Building ($1)"
  { cmake --preset "$1" -G Ninja && cmake --build --preset "$1" &&
    cmake --install "build/$1"; } >"$LOG" 2>&1 || { tail -n 40 "$LOG" >&2; die "the build failed"; }
  tail -n 1 "$LOG" >&2
}
