#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes what a file of rules says, and compares what became of it.

Usage: check-rules.py RULES...

Each line has a file (below /sys/devices/system/cpu, or a whole path), a value to
write, the result ("ok" or an errno's name) and what reads back then ("-": not
looked at, or an errno's name); "=" as value and result writes nothing. Words are
as in a shell, with Python's escapes. The same files are checked on the simulated machines and
on real kernels, so that the simulation does not drift away from the truth.
"""

import errno
import os
import shlex
import sys
import time

ROOT = "/sys/devices/system/cpu/"
SETTLE = 2  # seconds: limits of frequencies take effect later


def attempt(function):
    try:
        return function()
    except OSError as error:
        return errno.errorcode[error.errno]


def put(path, value):
    descriptor = os.open(os.path.join(ROOT, path), os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)
    return "ok"


def get(path):
    descriptor = os.open(os.path.join(ROOT, path), os.O_RDONLY)
    try:
        return os.read(descriptor, 4096).decode().strip()
    finally:
        os.close(descriptor)


def check(line):
    """What is wrong with a line, or None."""
    path, value, result, found = shlex.split(line)
    if value != "=":
        got = attempt(lambda: put(path, value.encode().decode("unicode_escape")))
        if got != result:
            return f"writing '{value}' gave {got}, not {result}"
    if found == "-":
        return None
    end = time.monotonic() + SETTLE
    while (got := attempt(lambda: get(path))) != found and time.monotonic() < end:
        time.sleep(0.02)
    return None if got == found else f"after '{value}' it reads '{got}', not '{found}'"


def main(files):
    bad = total = 0
    for name in files:
        with open(name, encoding="utf-8") as rules:
            for number, line in enumerate(rules, 1):
                if line.startswith("#") or not line.strip():
                    continue
                total += 1
                wrong = check(line)
                if wrong is not None:
                    bad += 1
                    print(f"{name}:{number}: {shlex.split(line)[0]}: {wrong}")
    print(f"{total} rules, {bad} broken")
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
