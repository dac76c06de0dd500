#!/bin/sh
# The inner part of network.sh: waits for the network, blocks prohibited addresses, and holds the network.
folder=$1 rules=$2 processes=$3
echo "$$" >&4
read -r isUp <"$folder/ready" # the line has no newline
[ "$isUp" = 1 ] || { echo 'slirp4netns could not create the network' >&2; exit 126; }
printf '%s\n' "$rules" | ip -batch - || exit 126
exec 3<"$folder/alive"
if [ -n "$processes" ]; then
  mkfifo "$folder/within" "$folder/mapped" || exit 126
  exec 6<>"$folder/within" 7<>"$folder/mapped"
  # Limits all processes in the namespace together, whatever their IDs.
  {
    prlimit --nproc="$processes" unshare --user --keep-caps /bin/sh "${0%/*}/ids-inside.sh"
    echo gone >&6
  } 4>&- &
  read -r within <&6
  [ "$within" != gone ] || exit 126
  # With `cat`, because the kernel requires a map in one write.
  for kind in uid gid; do
    printf '0 0 1\n1 1 65536\n' | cat >"/proc/$within/${kind}_map" || exit 126
  done
  echo mapped >&7
  read -r state <&6
  [ "$state" = closed ] || exit 126
fi
echo "up $within" >&4
exec 4>&-
read -r _ <&3 # until no process has it open
