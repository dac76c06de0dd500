#!/bin/sh
# Holds a network: network.sh <folder> <rules> [processes]. Prints the ID of a process in the network when it is up. The
# network then exists while a process has the folder's pipe `alive` open for writing. Those are its programs, and this
# script until it reads a line. If the runner exits without a line, a program may have been started that has not opened
# the pipe yet. So the script then holds the network for ten seconds more. With a number of processes, programs get a
# range of IDs. The script first prints the ID of a process whose user namespace has no IDs yet, and waits for a line.
# At the end it also prints the ID of a process in the namespace of the programs. slirp4netns carries the traffic. If it
# exits, the network ends.
folder=$1 rules=$2 processes=$3
mkfifo "$folder/entered" "$folder/ready" "$folder/alive" || exit 126
exec 4<>"$folder/entered" 5<>"$folder/alive"
ids=--map-root-user
[ -z "$processes" ] || ids=--keep-caps # otherwise a process without an ID loses them with exec
{
  unshare --user "$ids" --net /bin/sh "${0%/*}/network-inside.sh" "$folder" "$rules" "$processes"
  echo gone >&4 # if it could not start
} </dev/null >&2 5>&- &
read -r inside <&4
[ "$inside" != gone ] || exit 126
if [ -n "$processes" ]; then
  echo "$inside"
  read -r mapped && [ "$mapped" = mapped ] || { kill "$inside"; exit 126; }
fi
slirp4netns --configure --mtu=65520 --cidr=198.18.73.0/24 --enable-sandbox --enable-seccomp --ready-fd=7 --exit-fd=6 \
  "$inside" tap0 7>"$folder/ready" 6<"$folder/alive" 4>&- 5>&- </dev/null >/dev/null 2>&1 &
carrier=$!
read -r state within <&4
[ "$state" = up ] || { kill "$carrier" "$inside" 2>/dev/null; exit 126; }
echo "$inside $within"
exec 8<&0 # a background command would read /dev/null
{ read -r _ || exec sleep 10; } <&8 >/dev/null 2>&1 &
exec 5>&- 8<&- >/dev/null 2>&1
wait "$carrier"
kill -KILL "$inside" 2>/dev/null
