#!/bin/sh
# Keeps a network: network.sh <folder> <rules>. When it is there, says the id of a process in it, and waits for a line.
# From then on it is there for as long as somebody has the pipe `alive` of the folder open for writing.
# slirp4netns carries its traffic; where that ends, however it does, the network does too.
folder=$1 rules=$2
mkfifo "$folder/entered" "$folder/ready" "$folder/alive" || exit 126
exec 4<>"$folder/entered" 5<>"$folder/alive"
{
  unshare --user --map-root-user --net /bin/sh "${0%/*}/network-inside.sh" "$folder" "$rules"
  echo gone >&4 # where it could not even begin
} </dev/null >&2 5>&- &
read -r inside <&4
[ "$inside" != gone ] || exit 126
slirp4netns --configure --mtu=65520 --cidr=198.18.73.0/24 --enable-sandbox --enable-seccomp --ready-fd=7 --exit-fd=6 \
  "$inside" tap0 7>"$folder/ready" 6<"$folder/alive" 4>&- 5>&- </dev/null >/dev/null 2>&1 &
carrier=$!
read -r state <&4
[ "$state" = up ] || { kill "$carrier" "$inside" 2>/dev/null; exit 126; }
echo "$inside"
read -r held
exec 5>&- >/dev/null 2>&1
wait "$carrier"
kill -KILL "$inside" 2>/dev/null
