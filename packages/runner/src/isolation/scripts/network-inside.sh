#!/bin/sh
# The part of network.sh that is inside: waits for the network, closes what is not for programs, and becomes the program.
pipes=$1 rules=$2
shift 2
echo "$$" >&4
exec 4>&-
read -r isUp <"$pipes/ready" # without a line's end
[ "$isUp" = 1 ] || { echo 'slirp4netns could not make a network' >&2; exit 126; }
printf '%s\n' "$rules" | ip -batch - || exit 126
exec "$@"
