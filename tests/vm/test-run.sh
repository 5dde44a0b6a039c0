#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: test-run.sh
#
# Tests run itself with small guests; prints what failed. Takes about a minute, the
# first time longer, as Debian's kernel is fetched.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

[ "${1-}" != --help ] || { sed -n '4,/^[^#]/ s/^# \{0,1\}//p' "$0"; exit; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
mkdir "$work/tmp" "$work/share" "$work/empty"
export TMPDIR=$work/tmp # of run; must be empty after each
failed=0

# same WHAT EXPECTED GOT
same() {
  [ "$2" = "$3" ] && return
  echo "test-run: $1: expected '$2', got '$3'"
  failed=1
}

# has WHAT PART TEXT
has() {
  [[ $3 == *"$2"* ]] && return
  echo "test-run: $1: expected a text with '$2', got '$3'"
  failed=1
}

# policies CPUS POLICIES: the affected CPUs of each policy, with blanks as dots.
policies() {
  "$here/run" --cpus "$1" --policies "$2" --timeout 60 -- sh -c \
    'cat /sys/devices/system/cpu/cpufreq/policy*/affected_cpus' 2>&1 | tr ' \n' '. '
}

# Output comes while the command runs, stdout and stderr apart; its status is ours; what
# it writes stays there, but for the share.
test_command() {
  local status line
  cat >"$work/command" <<END
printf '<%s>' "\$@" >share/words
echo first; sleep 2; echo second; echo third >&2
echo shared >share/file; echo lost >lost; pwd >share/pwd; echo x >/dev/shm/x; echo x >/run/x
cat /sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors >share/governors
[ -c /dev/cpu_dma_latency ] && [ -e /sys/fs/cgroup/cgroup.procs ] && [ -d /sys/kernel/debug/bdi ] || exit 1
exit 42
END
  (
    cd "$work" || exit
    "$here/run" --cpus 2 --policies each --share "$work/share" --timeout 60 -- \
      sh ./command "it's 1 \"word\"" '' $'two\nlines' 2>"$work/err"
    echo "status $?"
  ) | while read -r line; do echo "$line $(date +%s%N)"; done >"$work/out"
  same 'the output' 'first second status' "$(cut -d ' ' -f 1 "$work/out" | xargs)"
  same 'the status' 42 "$(sed -n 's/^status \([0-9]*\) .*/\1/p' "$work/out")"
  same 'stderr' third "$(cat "$work/err")"
  # At least a second between the first line and the second.
  status=$(awk '{ t[NR] = $NF / 1e9 } END { print (t[2] - t[1] >= 1) ? "live" : "late" }' "$work/out")
  same 'the time of the output' live "$status"
  same 'the shared file' shared "$(cat "$work/share/file")"
  same 'the arguments' "<it's 1 \"word\"><>"$'<two\nlines>' "$(cat "$work/share/words")"
  same 'the working directory' "$work" "$(cat "$work/share/pwd")"
  same 'the governors' 'conservative ondemand performance powersave schedutil userspace' \
    "$(xargs -n 1 <"$work/share/governors" | sort | xargs)"
  same 'a file outside the share' gone "$([ -e "$work/lost" ] && echo there || echo gone)"
}

test_policies() {
  same 'policies of each' '0 1 ' "$(policies 2 each)"
  same 'policies of pairs' '0.1 2 ' "$(policies 3 pairs)"
  same 'policies of one' '0.1.2 ' "$(policies 3 one)"
}

test_amd_pstate() {
  local got
  got=$("$here/run" --cpus 2 --smt --driver active --timeout 60 -- sh -c '
    cd /sys/devices/system/cpu
    cat cpufreq/policy*/scaling_driver smt/control
    echo off >smt/control && cat online' 2>&1)
  same 'amd_pstate and threads' 'amd-pstate-epp amd-pstate-epp on 0' "$(xargs <<<"$got")"
}

test_end() {
  local got status=0 runner
  SECONDS=0
  got=$("$here/run" --cpus 1 --timeout 2 -- sleep 60 2>&1) || status=$?
  same 'the status after a time-out' 124 $status
  has 'the message of a time-out' '2 seconds' "$got"
  same 'the time of a time-out' soon "$([ $SECONDS -lt 8 ] && echo soon || echo "$SECONDS")"
  "$here/run" --cpus 1 -- sleep 60 &
  runner=$!
  until [ -n "$(ls "$TMPDIR")" ]; do sleep 0.1; done
  kill -TERM $runner
  status=0
  wait $runner || status=$?
  same 'the status of a killed run' 143 $status
  same 'what is left of all runs' '' "$(ls "$TMPDIR")"
}

# refused MESSAGE OPTION...
refused() {
  local got status=0 message=$1
  shift
  got=$("$here/run" "$@" 2>&1 </dev/null) || status=$?
  same "the status of run $*" 125 $status
  has "the message of run $*" "$message" "$got"
  same "the lines of run $*" 1 "$(wc -l <<<"$got")"
}

test_refusals() {
  refused '1 to 64' --cpus 0 -- true
  refused '1 to 64' --cpus eight -- true
  refused 'even' --cpus 3 --smt -- true
  refused 'each, pairs, one, mixed' --policies all -- true
  refused 'with CPU 1' --cpus 4 --policies '0:one 2-3:any' -- true
  refused 'any, all, hw, one or none' --policies 0:two -- true
  refused 'acpi, active, passive or guided' --driver intel -- true
  refused 'needs --driver acpi' --driver active --policies pairs -- true
  refused '6.1 has' --driver active --kernel 6.1 -- true
  refused '6.12, 6.1, own' --kernel mine -- true
  refused 'knows no kernel 9.99' --kernel 9.99 -- true
  refused 'cannot read' --kernel ./no-such-kernel -- true
  refused 'no directory' --share "$work/none" -- true
  refused 'number of seconds' --timeout 0 -- true
  refused 'unknown option' --what -- true
  refused 'needs a value' --cpus
  refused 'no command' --cpus 2
  RETUNE_VM_CACHE=$work/empty refused build-kernel --kernel own -- true
  PATH=$work/bin refused busybox-static -- true
}

mkdir "$work/bin" # has what run needs, less busybox
for tool in bash basename dirname uname realpath mktemp rm wc qemu-system-x86_64 iasl cpio setpriv; do
  ln -s "$(command -v $tool)" "$work/bin/$tool"
done
test_refusals
test_command
test_policies
test_amd_pstate
test_end
exit $failed
