#!/bin/sh
# Makes a lab host reachable: its address, its route, its sshd. It may do so again and again.
#
#   reach.sh ADDRESS/PREFIX CONGESTION_CONTROL
set -eu
[ ! -e /proc/sys/net/ipv6 ] || echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
ip link set lo up
ip address replace "$1" dev eth0
ip link set eth0 up
# By the route, not by the default of all sockets: the kernel lets a namespace have as default only what
# `tcp_allowed_congestion_control` names.
[ -z "$2" ] || ip route change $(ip -4 route show dev eth0) dev eth0 congctl "$2"
# Sessions that are open have processes of their own and go on.
[ ! -e /run/sshd.pid ] || kill -KILL "$(cat /run/sshd.pid)" 2>/dev/null || :
env -i PATH="$PATH" /usr/sbin/sshd -E /var/log/sshd.log
