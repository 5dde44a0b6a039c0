# SPDX-License-Identifier: GPL-2.0-or-later
#
# What test-sim.sh checks with: writes and reads of real files, and counts.

C=/sys/devices/system/cpu
passed=0
failed=0

# same WHAT EXPECTED ACTUAL
same() {
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $machine: $1: expected '$2', got '$3'"
  fi
}

name_of() {
  case $1 in
    '') echo ok ;;
    *'Invalid argument'*) echo EINVAL ;;
    *'resource busy'*) echo EBUSY ;;
    *'out of range'*) echo ERANGE ;;
    *'not permitted'*) echo EPERM ;;
    *'Permission denied'*) echo EACCES ;;
    *'Input/output error'*) echo EIO ;;
    *'No space left'*) echo ENOSPC ;;
    *'not supported'*) echo EOPNOTSUPP ;;
    *'No such file'*) echo ENOENT ;;
    *'No such device'*) echo ENODEV ;;
    *'temporarily unavailable'*) echo EAGAIN ;;
    *) echo "$1" ;;
  esac
}

# put FILE VALUE RESULT [SHOWN]: writes, compares the outcome and the read-back
put() {
  message=$({ /usr/bin/printf "$2" >"$C/$1"; } 2>&1)
  same "$1 <- '$2'" "$3" "$(name_of "$message")"
  [ $# -lt 4 ] || shows "$1" "$4" "after '$2'"
}

# shows FILE VALUE [WHEN]
shows() {
  message=$(cat "$C/$1" 2>&1) || message=$(name_of "$message")
  same "$1 shows ${3:-}" "$2" "$message"
}

# each FILE RESULT SHOWN VALUE...: several values with the same outcome
each() {
  file=$1 result=$2 shown=$3
  shift 3
  for value; do
    put "$file" "$value" "$result" "$shown"
  done
}

faults() {
  printf '%s\n' "$@" >"$RETUNE_SIM_ROOT/retune/faults"
}

log_has() {
  same "log has '$1'" yes \
    "$(grep -qxF "$1" "$RETUNE_SIM_ROOT/retune/writes" && echo yes || echo no)"
}

# ask LINE: a command through the pipe, and its answer
ask() {
  before=$(wc -l <"$CONTROL.reply")
  echo "$1" >"$CONTROL"
  tries=0
  while [ "$(wc -l <"$CONTROL.reply")" = "$before" ] && [ $tries -lt 500 ]; do
    sleep 0.01
    tries=$((tries + 1))
  done
  tail -n 1 "$CONTROL.reply"
}
