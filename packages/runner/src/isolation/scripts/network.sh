#!/bin/sh
# Starts what stands behind it in a network of its own: network.sh <folder for pipes> <rules> <command> [argument]...
# slirp4netns carries its traffic and ends with this process, however that ends: the pipe `alive` tells it.
pipes=$1
mkfifo "$pipes/entered" "$pipes/ready" "$pipes/alive" || exit 126
exec 4<>"$pipes/entered" 5<>"$pipes/alive"
{
  unshare --user --map-root-user --net /bin/sh "${0%/*}/network-inside.sh" "$@"
  status=$?
  echo gone >&4 # where it could not even begin
  exit "$status"
} 5>&- &
job=$!
read -r inside <&4
if [ "$inside" != gone ]; then
  slirp4netns --configure --mtu=65520 --cidr=198.18.73.0/24 --enable-sandbox --enable-seccomp --ready-fd=7 --exit-fd=6 \
    "$inside" tap0 7>"$pipes/ready" 6<"$pipes/alive" 4>&- 5>&- 9<&- >/dev/null 2>&1 &
fi
wait "$job"
