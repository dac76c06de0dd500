#!/bin/sh
# Starts a command in a network: enter-network.sh <pipe `alive`> <PID in the network> <PID in the user namespace of
# programs with a range of IDs, or -> <command> [argument]... Keeps the pipe open while the command runs, without
# passing it on. That user namespace is file descriptor 8.
pid=$2
exec 5<>"$1"
[ "$3" = - ] || exec 8<"/proc/$3/ns/user" || exit 126
shift 3
nsenter --preserve-credentials --user --net --target "$pid" "$@" 5>&-
exit "$?" # not the last command, or the shell would replace itself with it and close the pipe
