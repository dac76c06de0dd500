#!/bin/sh
# Keeps a network: network.sh <folder> <rules> [processes]. When it is there, prints the id of a process in it. From then
# on it exists for as long as a process has the pipe `alive` of the folder open for writing: each program that runs in it,
# and this script until it reads a line. A runner that ends without one may just have started a program that has not opened
# the pipe yet: the script then holds the network for ten seconds more.
# With a number of processes it is for programs with a range of ids: first it says the id of a process whose user
# namespace has none yet, and waits for a line; in the end it says also that of one in the namespace of the programs.
# slirp4netns carries its traffic; where that ends, however it does, the network does too.
folder=$1 rules=$2 processes=$3
mkfifo "$folder/entered" "$folder/ready" "$folder/alive" || exit 126
exec 4<>"$folder/entered" 5<>"$folder/alive"
ids=--map-root-user
[ -z "$processes" ] || ids=--keep-caps # whoever has no id loses them with the next program otherwise
{
  unshare --user "$ids" --net /bin/sh "${0%/*}/network-inside.sh" "$folder" "$rules" "$processes"
  echo gone >&4 # where it could not even begin
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
exec 8<&0 # a command in the background would read /dev/null
{ read -r _ || exec sleep 10; } <&8 >/dev/null 2>&1 &
exec 5>&- 8<&- >/dev/null 2>&1
wait "$carrier"
kill -KILL "$inside" 2>/dev/null
