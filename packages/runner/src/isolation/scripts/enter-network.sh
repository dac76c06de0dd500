#!/bin/sh
# Starts a command in a network: enter-network.sh <pipe `alive`> <process in it> <process in the namespace of programs
# with a range of ids, or -> <command> [argument]...
# The pipe is open for as long as the command runs, and the command does not have it. That namespace is its file 8.
pid=$2
exec 5<>"$1"
[ "$3" = - ] || exec 8<"/proc/$3/ns/user" || exit 126
shift 3
nsenter --preserve-credentials --user --net --target "$pid" "$@" 5>&-
exit "$?" # not the last command: a shell would become that one, and close the pipe
