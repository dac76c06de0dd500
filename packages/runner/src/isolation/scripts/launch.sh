#!/bin/sh
# Starts what stands behind it in a sandbox, by itself or read by another script:
# launch.sh <records> <control group or -> <filter of system calls or -> <command> [argument]...
# The signals that ask a program to end are for the program: none of those that hold its sandbox may end by them. Within,
# `env --default-signal` makes them what they usually are.
trap '' HUP INT QUIT TERM
records=$1 cgroup=$2 filter=$3
shift 3
if [ "$cgroup" != - ]; then echo 0 >|"$cgroup/cgroup.procs" || exit 126; fi # whoever writes it
[ "$filter" = - ] || exec 6<"$filter"
exec "$@" 9<"$records/options"
