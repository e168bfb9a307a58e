#!/bin/bash
# boot.sh DISK USER_NAME USER_NUMBER PATH...
# Becomes a computer of its own: this system's files with changes kept in DISK, and a real systemd as process 1.
# Runs as the first process of new mount, process, network and cgroup namespaces; each PATH is there, read-only.
set -eu
disk=$1 name=$2 number=$3
shift 3
root=$disk/root
mount --make-rprivate /
mkdir -p "$root" "$disk/changes" "$disk/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$disk/changes,workdir=$disk/work" "$root"

mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for place in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$root/$place"; done
chmod 1777 "$root/tmp"
for node in null zero full random urandom tty; do cp -a "/dev/$node" "$root/dev/"; done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"

# The person's account has to reach the program, which may lie in folders that only root can enter here.
for path in "$@"; do
  mkdir -p "$root$path"
  above=$(dirname "$path")
  while [ "$above" != / ]; do
    chmod o+x "$root$above"
    above=$(dirname "$above")
  done
done
for path in "$@"; do
  mount --bind "$path" "$root$path"
  mount -o remount,bind,ro "$root$path"
done

if [ ! -e "$root/etc/first-boot-done" ]; then
  touch "$root/etc/first-boot-done"
  units=$root/etc/systemd/system
  rm -rf "$units"/*.wants
  : > "$root/etc/fstab"
  : > "$root/etc/machine-id"
  for unit in getty.target systemd-udevd.service systemd-udev-trigger.service systemd-networkd.service \
    systemd-resolved.service systemd-timesyncd.service; do
    ln -sf /dev/null "$units/$unit"
  done
  ln -sf /lib/systemd/system/multi-user.target "$units/default.target"
  mkdir -p "$units/multi-user.target.wants"
  for unit in dbus.service systemd-logind.service; do
    ln -sf "/lib/systemd/system/$unit" "$units/multi-user.target.wants/$unit"
  done
  chroot "$root" useradd --create-home --uid "$number" --shell /bin/bash "$name"
fi

# In a mere chroot, the kernel refuses the user namespaces that the sandbox needs.
cd "$root"
mkdir -p old
pivot_root . old
exec < /dev/null > /dev/null 2>&1
umount -l /old
exec env -i container=memproc-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --show-status=false
