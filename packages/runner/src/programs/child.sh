#!/bin/sh
# Runs a program so that it outlives whoever started it:
# child.sh <directory> <output> <errors> <script to begin it with or -> <program> [argument]...
# It leads a process group of its own. In <directory> it writes its process id and, when the program is over, the exit
# code; what the program writes goes to the files <output> and <errors>.
set -C # a file that is there is not written again: of two starts under one name, one runs
echo "$$" 2>/dev/null >"$1/pid" || exit 0
exitFile=$1/exit output=$2 errors=$3 script=$4
shift 4
trap : HUP INT TERM # they are for the program; its end is still to be written down
if [ "$script" = - ]; then "$@"; else (. "$script"); fi </dev/null >>"$output" 2>>"$errors"
echo "$?" >"$exitFile"
kill -KILL 0 # whatever the program has left behind in the group, and this shell
