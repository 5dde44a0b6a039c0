#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks the simulated kernel with real writes and reads, one machine after the
# other. Usage: test-sim.sh RETUNE-SIM. Prints what failed.

LC_ALL=C
export LC_ALL
. "$(dirname "$0")/test-sim-lib.sh"
. "$(dirname "$0")/test-sim-machines.sh"

check_governor_and_epp_of_intel() {
  P=cpufreq/policy1
  shows $P/scaling_driver intel_pstate
  each $P/scaling_governor EINVAL powersave bogus perform schedutil '\n' ' \n'
  put $P/energy_performance_preference power ok power
  put $P/scaling_governor Performance ok performance
  shows $P/energy_performance_preference performance 'under performance'
  each $P/energy_performance_preference EBUSY performance power 128 default 1
  each $P/energy_performance_preference EINVAL performance bogus Power 256 -1
  each $P/energy_performance_preference ok performance performance 0
  put $P/scaling_governor ' powersave junk\n' ok powersave
  shows $P/energy_performance_preference power 'after performance'
  put $P/energy_performance_preference 0 ok performance
  put $P/energy_performance_preference 128 ok balance_performance
  put $P/energy_performance_preference 192 ok balance_power
  put $P/energy_performance_preference 255 ok power
  put $P/energy_performance_preference '77\n' ok 77
  put $P/energy_performance_preference default ok balance_performance
  put $P/energy_performance_preference 99999999999 ERANGE balance_performance
  shows cpufreq/policy2/energy_performance_preference balance_performance 'in another policy'
  shows cpufreq/policy2/scaling_governor powersave 'in another policy'
}

check_intel_pstate() {
  put intel_pstate/max_perf_pct 60 ok 60
  put intel_pstate/min_perf_pct 80 ok 60
  put intel_pstate/min_perf_pct 10 ok 25
  put intel_pstate/max_perf_pct 5 ok 25
  put intel_pstate/max_perf_pct 500 ok 100
  each intel_pstate/max_perf_pct EINVAL 100 bogus -1 ''x
  put intel_pstate/no_turbo 1 ok 1
  put intel_pstate/no_turbo x EINVAL 1
  put intel_pstate/no_turbo 0 ok 0
  put intel_pstate/status active ok active
  put intel_pstate/status bogus EINVAL active
  put intel_pstate/status off EBUSY active
  put intel_pstate/num_pstates 1 EACCES 30
}

check_bias() {
  B=cpu3/power/energy_perf_bias
  put $B 15 ok 15
  put $B 0x4 ok 4
  put $B balance-power ok 8
  put $B performance ok 0
  put $B balance-performance ok 4
  put $B power ok 15
  put $B 'normal\n' ok 6
  each $B EINVAL 6 16 -1 255 bogus Normal 'normal ' '6 x' balance_power
}

check_resume_latency() {
  Q=cpu3/power/pm_qos_resume_latency_us
  shows $Q 0
  put $Q n/a ok n/a
  put $Q 100 ok 100
  put $Q 0x10 ok 16
  put $Q 2147483646 ok 2147483646
  put $Q '0\n' ok 0
  each $Q EINVAL 0 -1 auto any N/A n/ax ' 10' '10 x' bogus 2147483647 2147483648 4294967295
}

check_idle_states() {
  S=cpu3/cpuidle/state3
  shows $S/name C6
  shows $S/latency 133
  shows $S/residency 600
  put $S/disable 1 ok 1
  put $S/disable '0\n' ok 0
  put $S/disable 2 ok 1
  put $S/disable 0x0 ok 0
  each $S/disable EINVAL 0 x -1 ' 1' '1 x'
  put $S/disable 18446744073709551616 ERANGE 0
  put $S/latency 1 EACCES 133
  put $S/name 1 EACCES C6
  put cpu3/cpuidle/state9/disable 1 EACCES ENOENT
  put cpuidle/current_governor ladder ok ladder
  put cpuidle/current_governor bogus EINVAL ladder
  put cpuidle/current_driver x EACCES intel_idle
}

check_dma_latency() {
  D=/dev/cpu_dma_latency
  aggregate() {
    same "cpu_dma_latency $1" "$2" "$(od -An -td4 $D | tr -d ' ')"
  }
  aggregate 'at first' 2000000000
  exec 3>$D
  printf '\024\000\000\000' >&3
  aggregate 'with one request' 20
  exec 4>$D
  printf 0x5 >&4
  aggregate 'with a hexadecimal one' 5
  printf 1234 >&4
  aggregate 'with four bytes of text' 20
  printf '\002\000\000\000' >&4
  aggregate 'changed' 2
  exec 4>&-
  aggregate 'without the second' 20
  same 'cpu_dma_latency <- bogus' EINVAL "$(name_of "$({ /usr/bin/printf bogus! >&3; } 2>&1)")"
  same 'cpu_dma_latency <- 8 bytes' EINVAL \
    "$(name_of "$({ /usr/bin/printf '\1\0\0\0\0\0\0\0' >&3; } 2>&1)")"
  sh -c "exec 5>$D; printf '\\001\\000\\000\\000' >&5; kill -9 \$\$" 2>/dev/null
  aggregate 'without one whose process was killed' 20
  printf '\377\377\377\377' >&3
  aggregate 'with the default' 2000000000
  exec 3>&-
  aggregate 'when none is left' 2000000000
  log_has 'cpu_dma_latency 20 ok'
  log_has "cpu_dma_latency 875770417 ok"
}

# Programs that write by C streams.
check_streams() {
  echo 9 | tee $C/cpu3/power/energy_perf_bias >"$CONTROL.tee"
  shows cpu3/power/energy_perf_bias 9 'by tee'
  same 'a bad value by tee' EINVAL \
    "$(name_of "$(echo x | tee $C/cpu3/power/energy_perf_bias 2>&1 >"$CONTROL.tee")")"
  perl -e 'print "7\n"' >$C/cpu3/power/energy_perf_bias
  shows cpu3/power/energy_perf_bias 7 'by perl'
  put cpu3/power/energy_perf_bias 6 ok 6
}

# Sysfs gives every file the size of a page.
check_size() {
  same 'the size of a file' 4096 \
    "$(perl -e 'open(F, "<", $ARGV[0]) or die; print((stat F)[7])' $C/cpu3/power/energy_perf_bias)"
}

# Only root may write; a child that is not can read all but the node.
check_others() {
  [ "$(id -u)" = 0 ] || return 0
  G=cpufreq/policy0/scaling_governor
  # The build may be where nobody else can look, as in /root.
  OPEN=$(mktemp -d)
  chmod 755 "$OPEN"
  LIBRARY=$(printf %s "$LD_PRELOAD" | tr ': ' '\n' | grep libretune-sim-kernel)
  cp "$LIBRARY" "$OPEN/kernel.so"
  PRELOAD=$(printf %s "$LD_PRELOAD" | sed "s|$LIBRARY|$OPEN/kernel.so|")
  as_nobody() {
    name_of "$(LD_PRELOAD=$PRELOAD setpriv --reuid=65534 --regid=65534 --clear-groups \
      sh -c "$1" 2>&1)"
  }
  same 'reading as nobody' powersave "$(as_nobody "cat $C/$G")"
  same 'writing as nobody' EACCES "$(as_nobody "echo performance >$C/$G")"
  same 'opening the node as nobody' EACCES "$(as_nobody 'cat /dev/cpu_dma_latency')"
  rm -r "$OPEN"
}

check_faults() {
  M=cpufreq/policy5/scaling_max_freq
  faults "write $M EIO skip 1 times 2"
  put $M 2000000 ok 2000000
  put $M 2100000 EIO 2000000
  put $M 2200000 EIO 2000000
  put $M 2300000 ok 2300000
  faults 'write cpufreq/policy[56]/scaling_*_freq ENOSPC' 'ignore cpu*/power/*' \
    'read cpu7/cpuidle/state1/disable EIO' 'delay cpu8/cpuidle/* 300'
  put $M 2500000 ENOSPC 2300000
  put cpufreq/policy6/scaling_min_freq 2500000 ENOSPC 1000000
  put cpufreq/policy7/scaling_min_freq 2500000 ok 2500000
  put cpu4/power/energy_perf_bias 1 ok 6
  shows cpu7/cpuidle/state1/disable EIO
  shows cpu6/cpuidle/state1/disable 0
  start=$(date +%s%N)
  put cpu6/cpuidle/state1/disable 1 ok 1
  faults 'delay cpu6/cpuidle/*/* 300'
  put cpu6/cpuidle/state1/disable 0 ok 0
  same 'a delayed write takes its time' yes \
    "$([ $(($(date +%s%N) - start)) -gt 300000000 ] && echo yes || echo no)"
  faults 'write cpu_dma_latency EBUSY'
  same 'cpu_dma_latency with a fault' EBUSY \
    "$(name_of "$({ /usr/bin/printf 1234 >/dev/cpu_dma_latency; } 2>&1)")"
  faults ''
  put $M 2600000 ok 2600000
  log_has "$M 2100000 EIO"
  log_has 'cpu3/power/energy_perf_bias normal ok'
  log_has 'cpu3/power/energy_perf_bias 6\x20x EINVAL'
}

check_stale() {
  F=cpufreq/policy9/scaling_max_freq
  RETUNE_SIM_STALE_MS=600
  export RETUNE_SIM_STALE_MS
  put $F 2000000 ok 3900000
  sleep 0.7
  shows $F 2000000 'when it has settled'
  unset RETUNE_SIM_STALE_MS
}

check_zero_bytes() {
  G=cpufreq/policy0/scaling_governor
  perl -e 'open(F, "+<", $ARGV[0]) or die; exit(defined(syswrite(F, "")) ? 0 : 1)' $C/$G
  same 'a write of no bytes' 0 $?
  shows $G powersave
  log_has "$G \"\" ok"
}

check_hotplug_of_single() {
  put cpu5/power/energy_perf_bias 3 ok 3
  shows cpu5/topology/thread_siblings_list 5,21
  same 'offline 5' 'ok offline 5' "$(ask 'offline 5')"
  shows online 0-4,6-31
  shows offline 5
  shows cpu5/online 0
  shows cpufreq/policy5/scaling_governor EBUSY
  shows cpufreq/policy5/related_cpus EBUSY
  shows cpu5/cpufreq/scaling_driver EBUSY
  put cpu5/cpufreq/scaling_governor performance EBUSY
  shows cpu5/power/energy_perf_bias ENOENT
  put cpu5/power/energy_perf_bias 1 EACCES
  shows cpu5/topology/core_id ENOENT
  shows cpu21/topology/thread_siblings_list 21
  put cpu5/cpuidle/state1/disable 1 ok 1
  put cpu5/power/pm_qos_resume_latency_us 50 ok 50
  same 'online 5' 'ok online 5' "$(ask 'online 5')"
  shows online 0-31
  shows offline ''
  shows cpufreq/policy5/scaling_governor powersave
  shows cpu5/power/energy_perf_bias 3
  shows cpu5/cpuidle/state1/disable 1
  shows cpu5/power/pm_qos_resume_latency_us 50
  shows cpu21/topology/thread_siblings_list 5,21
  put cpu5/online 0 ok 0
  put cpu5/online 0 ok 0
  each cpu5/online EINVAL 0 2 x ''-1
  shows cpufreq/policy5/affected_cpus EBUSY
  put cpu5/online 1 ok 1
  shows cpufreq/policy5/affected_cpus 5
  shows cpu0/online ENOENT
  same 'offline 0' 'error offline 0: No such device' "$(ask 'offline 0')"
  same 'bogus' 'error bogus: unknown command' "$(ask bogus)"
}

check_generic_limits() {
  P=cpufreq/policy2
  each $P/scaling_min_freq EINVAL 800000 -1 bogus 1.5 '1200000 junk' 1200000kHz ' 1200000' \
    2147483648
  put $P/scaling_max_freq 1800000 ok 1800000
  put $P/scaling_min_freq 2400000 ok 1800000
  put $P/scaling_max_freq 3000000 ok 3000000
  shows $P/scaling_min_freq 2400000 'when max went up'
  put $P/scaling_max_freq 1200000 ok 1200000
  shows $P/scaling_min_freq 1200000 'below a lower max'
  put $P/scaling_max_freq 4294967295 ok 3000000
  shows $P/scaling_min_freq 2400000 'when max is back'
  put $P/scaling_min_freq 4294967296 ok 800000
  put $P/scaling_min_freq 900000 ok 1200000
  put $P/scaling_min_freq 1 ok 800000
  put $P/scaling_max_freq 900000 ok 800000
  put $P/scaling_max_freq 99999999 ok 3000000
  put $P/scaling_min_freq 0x124f80 ok 1200000
  put $P/scaling_min_freq '0\n' ok 800000
  put cpu3/cpufreq/scaling_max_freq 2400000 ok 2400000
  shows cpu2/cpufreq/scaling_max_freq 2400000 'through the other CPU'
  shows cpu4/cpufreq/scaling_max_freq 3000000
  put $P/cpuinfo_max_freq 1 EACCES 3000000
  put $P/scaling_driver x EACCES acpi-cpufreq
  put $P/scaling_cur_freq 1 EACCES
  put $P/affected_cpus 1 EACCES '2 3'
  put $P/energy_performance_preference power EACCES ENOENT
}

check_generic_governors() {
  P=cpufreq/policy0
  put $P/scaling_setspeed 1200000 EINVAL '<unsupported>'
  put $P/scaling_governor Performance ok performance
  put $P/scaling_governor 'ondemand\nx' ok ondemand
  put $P/scaling_governor bogus EINVAL ondemand
  put $P/scaling_governor userspace ok userspace
  put $P/scaling_setspeed 1700000 ok 1800000
  put $P/scaling_setspeed 5000000 ok 3000000
  put $P/scaling_setspeed 1 ok 800000
  put $P/scaling_setspeed bogus EINVAL 800000
  put $P/scaling_min_freq 1800000 ok 1800000
  shows $P/scaling_setspeed 1800000 'above a higher min'
  put $P/scaling_min_freq 800000 ok 800000
  shows $P/scaling_setspeed 800000 'when min is back'
  put $P/scaling_governor powersave ok powersave
  shows $P/scaling_setspeed '<unsupported>'
  put cpufreq/boost 0 ok 0
  put cpufreq/boost 1 ok 1
  each cpufreq/boost EINVAL 1 2 x -1 ' 1'
}

check_tunables() {
  shows cpufreq/ondemand/sampling_down_factor ENOENT
  put cpufreq/policy0/scaling_governor ondemand ok ondemand
  put cpufreq/policy4/scaling_governor ondemand ok ondemand
  shows cpufreq/ondemand/up_threshold 95
  put cpufreq/ondemand/up_threshold 50 ok 50
  each cpufreq/ondemand/up_threshold EINVAL 50 0 101 x
  put cpufreq/ondemand/sampling_down_factor 100000 ok 100000
  each cpufreq/ondemand/sampling_down_factor EINVAL 100000 0 100001 -1
  put cpufreq/policy0/scaling_governor powersave ok powersave
  shows cpufreq/ondemand/up_threshold 50 'with one user left'
  put cpu4/online 0 ok 0
  put cpu5/online 0 ok 0
  shows cpufreq/ondemand/up_threshold ENOENT 'without a user'
  put cpu5/online 1 ok 1
  shows cpufreq/ondemand/up_threshold 95 'with a user again'
  put cpu4/online 1 ok 1
  put cpufreq/policy4/scaling_governor schedutil ok schedutil
  shows cpufreq/ondemand/up_threshold ENOENT 'under another governor'
}

check_hotplug_of_pair() {
  put cpu2/online 0 ok 0
  shows cpufreq/policy2/affected_cpus 3
  shows cpufreq/policy2/related_cpus '2 3'
  put cpu2/cpufreq/scaling_max_freq 1800000 ok 1800000
  put cpu3/online 0 ok 0
  shows cpufreq/policy2/scaling_max_freq EBUSY
  put cpu2/online 1 ok 1
  shows cpufreq/policy2/affected_cpus 2
  put cpu3/online 1 ok 1
  shows cpufreq/policy2/affected_cpus '2 3'
  shows cpufreq/policy2/scaling_max_freq 1800000
}

check_loadable_governor() {
  shows cpufreq/policy0/scaling_available_governors 'conservative userspace performance schedutil '
  put cpufreq/policy0/scaling_governor powersave ok powersave
  shows cpufreq/policy0/scaling_available_governors \
    'powersave conservative userspace performance schedutil '
  put cpufreq/policy0/scaling_governor bogus EINVAL powersave
  shows cpufreq/policy0/affected_cpus '0 1 2 3'
  put cpufreq/boost 1 EACCES ENOENT
}

check_amd() {
  P=cpufreq/policy1
  A=$P/energy_performance_available_preferences
  put $P/scaling_governor performance ok performance
  shows $P/energy_performance_preference performance
  shows $A 'performance '
  put $P/energy_performance_preference power EBUSY performance
  put $P/energy_performance_preference bogus EINVAL performance
  put $P/scaling_governor powersave ok powersave
  shows $P/energy_performance_preference performance 'after performance'
  shows $A 'default performance balance_performance balance_power power '
  put $P/energy_performance_preference ' power' ok power
  each $P/energy_performance_preference EINVAL power 0 128 255 Power bogus
  put $P/scaling_min_freq 1234567 ok 1234567
  put $P/boost 0 ok 0
  put $P/boost 1 ok 1
  put $P/boost 2 EINVAL 1
  put cpufreq/boost 0 ok 0
  shows $P/boost 0 'without the global one'
  put $P/boost 1 EINVAL 0
  put cpufreq/boost 1 ok 1
  shows $P/boost 1 'with the global one'
  shows cpu1/power/energy_perf_bias ENOENT
}

check_guest() {
  put cpu1/power/pm_qos_resume_latency_us 30 ok 30
  shows cpu1/cpufreq/scaling_governor ENOENT
  shows cpu1/cpuidle/state0/name ENOENT
  shows cpuidle/current_driver none
  put cpufreq/boost 1 EACCES ENOENT
}

check_mixed() {
  shows cpufreq/policy3/scaling_governor powersave
  shows cpufreq/policy4/scaling_governor performance
  shows cpufreq/policy4/energy_performance_preference performance
  put cpufreq/policy4/scaling_governor powersave ok powersave
  shows cpufreq/policy4/energy_performance_preference power 'after performance'
  shows cpufreq/policy6/scaling_max_freq 2000000
  put cpufreq/policy6/scaling_min_freq 2500000 ok 2000000
  shows cpu6/power/energy_perf_bias 15
  shows online 0-29
  shows offline 30-31
  shows cpufreq/policy30/scaling_governor EBUSY
  put intel_pstate/no_turbo 0 EPERM 1
  put intel_pstate/no_turbo 1 ok 1
}

inside() {
  case $machine in
    cascadelake)
      check_governor_and_epp_of_intel
      check_intel_pstate
      check_bias
      check_resume_latency
      check_idle_states
      check_dma_latency
      check_zero_bytes
      check_stale
      check_size
      check_streams
      check_others
      check_faults
      check_hotplug_of_single
      check_clamps
      check_ways_to_clamps
      check_switch_of_intel
      ;;
    cascadelake-passive) check_intel_passive ;;
    cascadelake-nohwp) check_off ;;
    turbo-locked) check_turbo_locked ;;
    amd-passive | amd-guided) check_amd_modes ;;
    hybrid) check_hybrid ;;
    biglittle) check_biglittle ;;
    sparse) check_sparse ;;
    *nodes.machine) check_nodes ;;
    acpi-pairs)
      check_generic_limits
      check_generic_governors
      check_tunables
      check_hotplug_of_pair
      ;;
    acpi-one) check_loadable_governor ;;
    amd-epp) check_amd ;;
    guest)
      check_guest
      check_no_clamps
      ;;
    *mixed.machine) check_mixed ;;
    cascadelake-1024)
      shows online 0-1023
      shows cpu1023/topology/thread_siblings_list 511,1023
      put cpufreq/policy1023/scaling_governor performance ok performance
      put intel_pstate/status passive ok passive
      shows cpufreq/policy1023/scaling_governor schedutil
      ;;
  esac
  echo "$machine: $passed passed, $failed failed"
  [ $failed -eq 0 ] && [ $passed -gt 0 ]
}

if [ "$1" = --inside ]; then
  machine=$2
  inside
  exit
fi

sim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/mixed.machine" <<EOF
[machine]
inherit=cascadelake
online=0-29

[intel_pstate]
turbo_locked=true

[cpu 4-5]
governor=performance
epp=power

[cpu 6]
scaling_max=2000000
epb=15
EOF

cat >"$work/nodes.machine" <<EOF
[machine]
inherit=acpi-pairs
numbering=split
nodes=2
isolated=2-3
EOF

status=0
for machine in cascadelake acpi-pairs acpi-one amd-epp guest cascadelake-1024 cascadelake-passive \
  cascadelake-nohwp turbo-locked amd-passive amd-guided hybrid biglittle sparse \
  "$work/mixed.machine" "$work/nodes.machine"; do
  CONTROL=$work/control
  export CONTROL
  "$sim" --machine "$machine" --control "$CONTROL" -- sh "$0" --inside "$machine" || status=1
done

machine=retune-sim
"$sim" --machine guest -- sh -c 'exit 3'
same 'the status of the command' 3 $?
"$sim" --machine guest --root-file "$work/root" -- true
same 'the testbed afterwards' gone "$([ -e "$(cat "$work/root")" ] && echo there || echo gone)"
"$sim" --machine no-such-machine -- true 2>/dev/null
same 'the status for an unknown machine' 125 $?
[ $failed -eq 0 ] || status=1
exit $status
