# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# For run --real: looks whether this machine can be measured, remembers the values
# of its files, and puts them back. It is this shell that does so, since it outlives
# all that is killed in the namespaces.

sysfs=/sys/devices/system/cpu
files=() values=()

# value_of FILE: sets $value; fails if there is none: the CPU may be offline.
value_of() {
  value=
  { value=$(<"$1"); } 2>/dev/null
  [ -n "$value" ]
}

check_machine() {
  local policy governor value others
  compgen -G "$sysfs/cpufreq/policy*" >/dev/null ||
    fail "--real needs cpufreq, which this machine does not have"
  for policy in "$sysfs"/cpufreq/policy*; do
    value_of "$policy/scaling_available_governors" || continue
    for governor in performance powersave; do
      [[ " $value " == *" $governor "* ]] ||
        fail "--real needs the governor $governor; $policy has: $value"
    done
  done
  others=$(grep -lsx retuned /proc/[0-9]*/comm | tr -dc '0-9\n')
  [ -z "$others" ] || fail "--real needs this machine for itself, but retuned runs already," \
    "as process ${others//$'\n'/, }"
}

# Governors come first: under performance, the preference cannot be set.
remember() {
  local file value
  for file in "$sysfs"/cpufreq/policy*/scaling_{governor,setspeed} \
    "$sysfs"/cpufreq/policy*/energy_performance_preference \
    "$sysfs"/cpu[0-9]*/power/{energy_perf_bias,pm_qos_resume_latency_us}; do
    value_of "$file" || continue
    files+=("$file") values+=("$value")
  done
}

# Sets $found to the files that were different, and $stuck to those that still are.
put_back() {
  local i value
  found=() stuck=()
  for i in "${!files[@]}"; do
    value_of "${files[i]}" && [ "$value" = "${values[i]}" ] && continue
    found+=("${files[i]} was '$value', not '${values[i]}'")
    { printf %s "${values[i]}" >"${files[i]}"; } 2>/dev/null
    value_of "${files[i]}" && [ "$value" = "${values[i]}" ] && continue
    stuck+=("${files[i]} is '$value', not '${values[i]}'")
  done
}

# The lock says that somebody measures. All that is started here inherits it, so who
# gets it later knows that they are gone.
begin() {
  check_machine
  exec {lock}<$sysfs
  flock -n "$lock" || fail "--real needs this machine for itself, but somebody measures already"
  remember
}

# end STATUS: of the measurements; exits.
end() {
  trap '' INT TERM HUP PIPE
  [ ${#files[@]} -gt 0 ] || exit "$1"
  exec {lock}<&-
  flock $sysfs true
  put_back
  [ ${#stuck[@]} = 0 ] || fail "could not put back: ${stuck[*]}"
  [ "$1" != 0 ] || [ ${#found[@]} = 0 ] ||
    fail "retuned did not put back these, which is done now: ${found[*]}"
  exit "$1"
}
