#!/bin/sh
# The first process of a lab host: its own root, network and sshd. Runs in fresh namespaces of every kind.
# It dies when its maker ends before saying `go`, and then takes everything it has made along.
#
#   host.sh ROOT FILES NAME ADDRESS/PREFIX DISK CONGESTION_CONTROL [FOLDER...]
#
# ROOT is the host's disk, FILES a tree laid over the new root, DISK the size of what may be written.
# CONGESTION_CONTROL may be empty. Each FOLDER of this machine is seen in the host, wherever it lies.
set -eu
root=$1 files=$2 name=$3 address=$4 disk=$5 congestion=$6
reach=$(dirname "$0")/reach.sh
shift 6

# What the host writes is on its disk, which the lab holds: a host that starts again finds it there.
mkdir -p "$root/upper" "$root/work" "$root/merged"
mount -t overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" loadstone "$root/merged"
# A symbolic link in its place is not followed: it might lead to a file of this machine.
cp -R --preserve=mode --remove-destination "$files/." "$root/merged/"
cd "$root/merged"
# sshd refuses keys of an account that is locked by `!`; `*` has no password either but may log in.
sed -i 's/^root:!*[^:]*:/root:*:/' etc/shadow

mount -t proc -o nosuid,nodev,noexec proc proc
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
mount -t tmpfs -o mode=0755,size=16m dev dev
for device in null zero full random urandom tty; do
    touch "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
# Sockets and keys of this machine's own services are not the host's.
mount -t tmpfs -o mode=0755 run run
mount -t tmpfs -o "mode=1777,size=$disk" tmp tmp
mkdir -p run/lock run/sshd mnt
chmod 1777 run/lock
# The overlay has no other file systems, and the host's own /tmp and /run hide what lay there.
for folder; do
    if [ -z "$(ls -A ".$folder" 2>/dev/null)" ]; then
        mkdir -p ".$folder"
        mount --bind "$folder" ".$folder"
        mount -o remount,bind,ro ".$folder"
    fi
done
pivot_root . mnt
cd /
umount -l /mnt
hostname "$name"

echo rooted
read -r word
[ "$word" = go ]

sh "$reach" "$address" "$congestion"
echo ready
exec </dev/null >/dev/null 2>/var/log/host.log

# As process 1 it inherits orphans; waiting for a sleeper lays them to rest.
while :; do
    sleep 2147483647 &
    wait $! || :
done
