#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the script on standard input, as root, in a Debian that has nothing else, with copies of the files in its /root: in
# Debian 13 where FOLDER's name ends in 13, else in Debian 12. FOLDER is made by debootstrap where it is missing (some 200 MB)
# and left as it was: the script works on a copy. Needs root, debootstrap and Debian's archive.
#
#   in_bare_debian.sh FOLDER FILE.. < SCRIPT
set -euo pipefail
bare=$1; shift
case $bare in *13) suite=trixie ;; *) suite=bookworm ;; esac

[ "$(id -u)" -eq 0 ] || { echo "in_bare_debian.sh: must be root, for debootstrap and chroot" >&2; exit 1; }
[ -e "$bare/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$bare" http://deb.debian.org/debian >&2

# A copy, whose mounts vanish with their namespace.
root=$(mktemp -d "$(realpath "$bare").try-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a --reflink=auto "$bare/." "$root"
cp -r "$@" "$root/root/"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cat >"$root/root/script"
unshare --mount --pid --fork bash -euo pipefail -s "$root" <<'OUTSIDE'
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/dev/shm" 2>/dev/null || { mkdir -p "$1/dev/shm"; mount -t tmpfs tmpfs "$1/dev/shm"; }
for device in null zero random urandom tty; do
  touch "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root \
  bash -euo pipefail /root/script </dev/null
OUTSIDE
