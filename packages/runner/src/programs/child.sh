#!/bin/sh
# Runs a program so that it outlives the runner: child.sh <directory> <output> <errors> <script to source first or ->
# <program> [argument]... Leads its own process group. Writes its process ID and later the program's exit code to
# <directory>. Appends the program's standard output and error to the files <output> and <errors>.
set -C # does not overwrite files, so that only the first of two starts with the same name runs
echo "$$" 2>/dev/null >"$1/pid" || exit 0
exitFile=$1/exit output=$2 errors=$3 script=$4
shift 4
trap : HUP INT TERM # for the program only: this shell must still write the exit code
if [ "$script" = - ]; then "$@"; else (. "$script"); fi </dev/null >>"$output" 2>>"$errors"
echo "$?" >"$exitFile"
kill -KILL 0 # ends remaining processes of the group, including this shell
