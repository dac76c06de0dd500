#!/bin/sh
# Keeps the user namespace of programs with a range of ids, which is not the one that the network belongs to: nobody in
# it can change that, nor make namespaces of users in turn. Ends with the network.
echo "$$" >&6
read -r _ <&7
echo 0 >/proc/sys/user/max_user_namespaces || exit 126
echo closed >&6
exec 6>&- 7>&-
read -r _ <&3
