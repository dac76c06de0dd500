#!/bin/sh
# Starts a command in a network: enter-network.sh <pipe `alive`> <id of a process in it> <command> [argument]...
# The pipe is open for as long as the command runs, and the command does not have it.
pid=$2
exec 5<>"$1"
shift 2
nsenter --preserve-credentials --user --net --target "$pid" "$@" 5>&-
exit "$?" # not the last command: a shell would become that one, and close the pipe
