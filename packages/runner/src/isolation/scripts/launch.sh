#!/bin/sh
# Starts a command in a sandbox, as its own process or sourced by another script:
# launch.sh <records> <control group or -> <filter of system calls or -> <command> [argument]...
# Ignores the signals that ask a program to end, so that they do not end the processes that hold its sandbox. Inside,
# `env --default-signal` restores them for the program.
trap '' HUP INT QUIT TERM
records=$1 cgroup=$2 filter=$3
shift 3
if [ "$cgroup" != - ]; then echo 0 >|"$cgroup/cgroup.procs" || exit 126; fi # 0 is the writing process
[ "$filter" = - ] || exec 6<"$filter"
exec "$@" 9<"$records/options"
