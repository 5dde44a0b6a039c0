# SPDX-License-Identifier: GPL-2.0-or-later
#
# The checks of test-sim.sh that belong to one machine each, or to what lies outside
# of /sys/devices/system/cpu.

N=/sys/devices/system/node
K=/proc/sys/kernel/sched_util_clamp

# is WHAT FILE VALUE: as shows, for any file
is() {
  message=$(cat "$2" 2>&1) || message=$(name_of "$message")
  same "$1" "$3" "$message"
}

there() {
  same "$1 is there" "$2" "$([ -e "$C/$1" ] && echo yes || echo no)"
}

inode() {
  stat -c %i "$C/$1"
}

# clamp NAME VALUE RESULT SHOWN
clamp() {
  message=$({ /usr/bin/printf "$2" >"$K"_"$1"; } 2>&1)
  same "clamp_$1 <- '$2'" "$3" "$(name_of "$message")"
  is "clamp_$1 after '$2'" "$K"_"$1" "$4"
}

check_clamps() {
  clamp max ' 0x300\n' EINVAL 1024
  clamp min 0x200 ok 512
  clamp max '768 junk' ok 768
  clamp max 512x EINVAL 768
  clamp max '' ok 768
  clamp max ' ' EINVAL 768
  clamp max 2147483648 EINVAL 768
  clamp min '\n 010' ok 8
  clamp min 769 EINVAL 8
  faults 'write proc/sys/kernel/sched_util_clamp_min EIO' \
    'read proc/sys/kernel/sched_util_clamp_max EIO'
  clamp min 9 EIO 8
  is 'a clamp with a fault' "$K"_max EIO
  faults ''
  log_has 'proc/sys/kernel/sched_util_clamp_min 0x200 ok'
  log_has 'proc/sys/kernel/sched_util_clamp_max 768\x20junk ok'
  log_has 'proc/sys/kernel/sched_util_clamp_min 9 EIO'
  same 'set of a clamp' 'ok set proc/sys/kernel/sched_util_clamp_max 700' \
    "$(ask 'set proc/sys/kernel/sched_util_clamp_max 700')"
  is 'a clamp after set' "$RETUNE_SIM_ROOT/proc/sys/kernel/sched_util_clamp_max" 700
  same 'two numbers are a short write' 2 \
    "$(perl -e 'open(F, "+<", $ARGV[0]) or die; print syswrite(F, "5 6")' "$K"_min)"
  is 'the first of two numbers' "$K"_min 5
}

# By other ways to the same files: none may end at the host's.
check_ways_to_clamps() {
  link=$(mktemp -d)
  ln -s /proc/sys/kernel "$link/kernel"
  ln -s "$K"_min "$link/min"
  for way in /proc/sys/kernel/../kernel "$link/kernel" //proc/sys//kernel; do
    same "$way" 1 "$(
      echo 1 >$way/sched_util_clamp_min
      cat "$K"_min
    )"
    echo 0 >"$K"_min
  done
  same 'from within the folder' 3 "$(
    cd /proc/sys/kernel && echo 3 >sched_util_clamp_min
    cat "$K"_min
  )"
  perl -e 'open(F, ">", $ARGV[0]) && print F "4\n"' "$K"_min
  is 'by perl' "$K"_min 4
  /usr/bin/python3 -c 'import os, sys
d = os.open("/proc/sys/kernel", os.O_PATH)
f = os.open("sched_util_clamp_min", os.O_WRONLY, dir_fd=d)
os.write(f, b"6")
name = sys.argv[1]
assert os.access(name, os.R_OK) and os.stat(name).st_size == 0 and open(name).read() == "6\n"
assert os.stat("sched_util_clamp_min", dir_fd=d).st_ino == os.stat(name).st_ino' "$K"_min
  same 'by python' 0 $?
  # A symlink to the file itself is not followed to the testbed, and must fail.
  { echo 7 >"$link/min"; } 2>/dev/null
  same 'by a symlink to the file' 6 "$(cat "$K"_min)"
  rm -r "$link"
}

check_no_clamps() {
  is 'a clamp' "$K"_min ENOENT
  same 'test -e of a clamp' no "$([ -e "$K"_min ] && echo yes || echo no)"
  same 'opening a clamp' ENOENT \
    "$(name_of "$(dd if=/dev/null of="$K"_min conv=nocreat,notrunc 2>&1)")"
}

check_nodes() {
  is 'nodes' $N/online 0-1
  is 'possible nodes' $N/possible 0-1
  is 'node 0' $N/node0/cpulist 0-1,4-5
  is 'node 1' $N/node1/cpulist 2-3,6-7
  shows isolated 2-3
  put cpu2/online 0 ok 0
  is 'node 1 without 2' $N/node1/cpulist 3,6-7
  ask 'offline 3,6-7' >"$CONTROL.ignored"
  is 'node 1 without CPUs' $N/node1/cpulist ''
  shows isolated 2-3
  ask 'online 2-3,6-7' >"$CONTROL.ignored"
  is 'node 1 with all' $N/node1/cpulist 2-3,6-7
  is 'node 0 all the time' $N/node0/cpulist 0-1,4-5
  same 'writing a node' EACCES "$(name_of "$({ echo 1 >$N/node0/cpulist; } 2>&1)")"
  faults 'read sys/devices/system/node/node0/cpulist EIO'
  is 'a node with a fault' $N/node0/cpulist EIO
  faults ''
}

# intel_pstate in passive mode, then switched.
check_intel_passive() {
  P=cpufreq/policy1
  E=$P/energy_performance_preference
  shows $P/scaling_driver intel_cpufreq
  shows $P/scaling_governor schedutil
  put $P/scaling_governor performance ok performance
  shows $E balance_performance 'under performance'
  put $E power ok power
  put $E 33 ok 33
  put $E bogus EINVAL 33
  put $P/scaling_governor ondemand ok ondemand
  shows $E 33 'under ondemand'
  shows cpufreq/ondemand/up_threshold 95
  put $P/scaling_max_freq 2000000 ok 2000000
  put intel_pstate/max_perf_pct 50 ok 50
  put intel_pstate/status off EBUSY passive
  put intel_pstate/status ' active' EINVAL passive
  put intel_pstate/status 'active\nx' ok active
  shows $P/scaling_driver intel_pstate
  shows $P/scaling_governor powersave
  shows $P/scaling_available_governors 'performance powersave'
  shows $P/scaling_max_freq 3900000
  shows $E 33 'in another mode'
  shows intel_pstate/max_perf_pct 100
  there cpufreq/ondemand no
  put $P/scaling_governor performance ok performance
  put $E power EBUSY performance
  put intel_pstate/status passive ok passive
  shows $E 33 'again'
  shows $P/scaling_governor schedutil
}

check_switch_of_intel() {
  G=cpufreq/policy1/scaling_governor
  before=$(inode $G).$(inode cpufreq/policy1)
  exec 5<$C/$G
  put cpu7/online 0 ok 0
  put intel_pstate/status passive ok passive
  same 'policies are new ones' no \
    "$([ "$before" = "$(inode $G).$(inode cpufreq/policy1)" ] && echo same || echo no)"
  same 'a file of an old policy' ENODEV "$(name_of "$(cat <&5 2>&1)")"
  exec 5<&-
  shows $G schedutil
  shows cpufreq/schedutil/rate_limit_us 1000
  there cpufreq/policy7 no
  there cpu7/cpufreq no
  shows cpufreq/policy31/scaling_driver intel_cpufreq
  put cpu7/online 1 ok 1
  shows cpu7/cpufreq/affected_cpus 7
  shows cpu7/cpufreq/scaling_governor schedutil
  put intel_pstate/status active ok active
  shows $G powersave
  shows cpufreq/policy7/scaling_driver intel_pstate
}

check_off() {
  there cpufreq/policy1/energy_performance_preference no
  put intel_pstate/status off ok off
  there cpufreq yes
  there cpufreq/policy1 no
  there cpu1/cpufreq no
  put intel_pstate/no_turbo 1 EAGAIN EAGAIN
  shows intel_pstate/num_pstates EAGAIN
  put intel_pstate/max_perf_pct 50 EAGAIN 100
  put intel_pstate/min_perf_pct 50 EAGAIN 25
  put intel_pstate/max_perf_pct x EINVAL 100
  put intel_pstate/status off EINVAL off
  put cpu1/online 0 ok 0
  put cpu1/online 1 ok 1
  there cpu1/cpufreq no
  put intel_pstate/status passive ok passive
  shows cpu1/cpufreq/scaling_driver intel_cpufreq
  put intel_pstate/no_turbo 1 ok 1
}

check_turbo_locked() {
  shows intel_pstate/no_turbo 1
  put intel_pstate/no_turbo 0 EPERM 1
  put intel_pstate/status passive ok passive
  put intel_pstate/no_turbo 0 EPERM 1
}

# passive or guided: one driver; then active, and none.
check_amd_modes() {
  P=cpufreq/policy1
  shows amd_pstate/status "${machine#amd-}"
  shows $P/scaling_driver amd-pstate
  shows $P/scaling_governor schedutil
  there $P/energy_performance_preference no
  put $P/boost 0 ok 0
  put $P/scaling_governor performance ok performance
  put amd_pstate/status passive ok passive
  put amd_pstate/status guided ok guided
  shows $P/scaling_governor performance
  put amd_pstate/status active ok active
  shows $P/energy_performance_preference performance
  put $P/scaling_governor powersave ok powersave
  put amd_pstate/status disable ok disable
  there cpufreq yes
  there $P no
  there cpu1/cpufreq no
  there cpufreq/boost no
  put amd_pstate/status off EINVAL disable
  put amd_pstate/status active ok active
  shows $P/scaling_governor performance
  shows cpufreq/boost 1
  shows $P/boost 1
}

check_hybrid() {
  shows cpu1/topology/thread_siblings_list 0-1
  shows cpu7/topology/thread_siblings_list 6-7
  shows cpu8/topology/thread_siblings_list 8
  shows cpu15/topology/core_id 11
  put cpufreq/policy0/scaling_max_freq 99999999 ok 5400000
  put cpufreq/policy8/scaling_max_freq 99999999 ok 3900000
  put cpufreq/policy8/scaling_max_freq 4000000 ok 3900000
  put cpufreq/policy0/scaling_max_freq 4000000 ok 4000000
  shows cpufreq/policy0/base_frequency 2000000
  shows cpufreq/policy8/base_frequency 1500000
  shows cpu0/cpuidle/state3/latency 1048
  shows cpu8/cpuidle/state2/latency 64
  there cpu8/cpuidle/state3 no
  put cpu8/power/energy_perf_bias 0 ok 0
  put intel_pstate/min_perf_pct 1 ok 7
  there intel_pstate/num_pstates no
  is 'P-cores' /sys/devices/cpu_core/cpus 0-7
  is 'E-cores' /sys/devices/cpu_atom/cpus 8-15
  put cpu9/online 0 ok 0
  is 'E-cores without 9' /sys/devices/cpu_atom/cpus 8,10-15
  put cpu9/online 1 ok 1
  is 'E-cores again' /sys/devices/cpu_atom/cpus 8-15
  put intel_pstate/status passive ok passive
  shows cpufreq/policy8/scaling_max_freq 3900000 'in passive mode'
  shows cpufreq/policy0/scaling_max_freq 5400000 'in passive mode'
}

check_biglittle() {
  shows cpufreq/policy0/related_cpus '0 1 2 3'
  shows cpu7/cpufreq/related_cpus '4 5 6 7'
  put cpufreq/policy0/scaling_max_freq 1500000 ok 1400000
  put cpufreq/policy4/scaling_max_freq 1500000 ok 1200000
  put cpufreq/policy4/scaling_min_freq 1 ok 800000
  put cpu0/cpu_capacity 1 EACCES 446
  shows cpu4/cpu_capacity 1024
  shows cpu4/cpuidle/state1/residency 700
  shows cpu0/cpuidle/state0/name WFI
  there cpufreq/schedutil no
  put cpufreq/policy0/schedutil/rate_limit_us 500 ok 500
  shows cpufreq/policy4/schedutil/rate_limit_us 1000
  put cpufreq/policy4/scaling_governor ondemand ok ondemand
  there cpufreq/policy4/schedutil no
  there cpufreq/ondemand no
  put cpufreq/policy4/ondemand/up_threshold 50 ok 50
  put cpufreq/policy4/ondemand/up_threshold 101 EINVAL 50
  ask 'offline 4-7' >"$CONTROL.ignored"
  there cpufreq/policy4/ondemand no
  ask 'online 4' >"$CONTROL.ignored"
  shows cpufreq/policy4/ondemand/up_threshold 95 'after all its CPUs were offline'
  shows cpufreq/policy0/schedutil/rate_limit_us 500
  ask 'offline 1-4' >"$CONTROL.ignored"
  shows online 0
  put cpu0/online 0 EBUSY 1
  put cpu1/online 1 ok 1
  put cpu0/online 0 ok 0
  shows cpufreq/policy0/affected_cpus 1
  put cpu1/online 0 EBUSY 1
}

check_sparse() {
  shows possible 0-159
  shows online 0-9,40-44,80-84
  shows offline 10-39,45-79,85-159
  shows cpu4/topology/thread_siblings_list 4,84
  shows cpu9/topology/thread_siblings_list 9
  shows cpu44/topology/physical_package_id 1
  is 'node 0' $N/node0/cpulist 0-9,80-84
  is 'node 1' $N/node1/cpulist 40-44
  there cpu10 no
  put cpu84/cpufreq/scaling_governor performance ok performance
  put cpu84/online 0 ok 0
  shows offline 10-39,45-79,84-159
}
