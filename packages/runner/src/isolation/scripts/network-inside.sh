#!/bin/sh
# The part of network.sh that is inside: waits for the network, closes what is not for programs, and stays.
folder=$1 rules=$2
echo "$$" >&4
read -r isUp <"$folder/ready" # without a line's end
[ "$isUp" = 1 ] || { echo 'slirp4netns could not make a network' >&2; exit 126; }
printf '%s\n' "$rules" | ip -batch - || exit 126
exec 3<"$folder/alive"
echo up >&4
exec 4>&-
read -r _ <&3 # until nobody has it any more
