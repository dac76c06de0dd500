#!/bin/sh
# Starts what stands behind it in a sandbox: launch.sh <records> <control group or -> <command> [argument]...
# The signals that ask a program to end are for the program: none of those that hold its sandbox may end by them. Within,
# `env --default-signal` makes them what they usually are.
trap '' HUP INT QUIT TERM
records=$1 cgroup=$2
shift 2
if [ "$cgroup" != - ]; then echo "$$" >"$cgroup/cgroup.procs" || exit 126; fi
exec "$@" 9<"$records/options"
