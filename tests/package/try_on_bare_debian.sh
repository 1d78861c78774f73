#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether a package of ours installs and works on a Debian 12 that has nothing else: in a folder made by debootstrap
# (some 200 MB; it is made where there is none, and left as it was), an ordinary user looks at the empty store, trains
# the digits on two replicas, and looks again. Needs root, debootstrap and Debian's archive.
#
#   try_on_bare_debian.sh FOLDER batchscope_*.deb
set -euo pipefail
bare=$1 package=$(realpath "$2")

[ "$(id -u)" -eq 0 ] || { echo "try_on_bare_debian.sh: must be root, for debootstrap and chroot" >&2; exit 1; }
[ -e "$bare/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$bare" http://deb.debian.org/debian

# A copy, whose mounts vanish with their namespace.
root=$(mktemp -d "$(realpath "$bare").try-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a --reflink=auto "$bare/." "$root"
cp "$package" "$root/root/batchscope.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
unshare --mount --pid --fork bash -euo pipefail -s "$root" <<'OUTSIDE'
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/dev/shm" 2>/dev/null || { mkdir -p "$1/dev/shm"; mount -t tmpfs tmpfs "$1/dev/shm"; }
for device in null zero random urandom tty; do
  touch "$1/dev/$device"
  mount --bind "/dev/$device" "$1/dev/$device"
done
chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 bash -euo pipefail -s <<'INSIDE'
apt-get update -qq
apt-get install -y -qq --no-install-recommends /root/batchscope.deb >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
apt-get check -qq
useradd --create-home person
su person <<'PERSON'
set -eux
cd
batchscope --version
batchscope ls
batchscope run --headless digits --replicas 2 --at epoch=1:replicas=1 --expect 'accuracy>=0.9' --timeout 30m \
  -- --epochs 3
batchscope ls --where 'state=finished and accuracy>=0.9'
batchscope show latest | head -n 20
batchscope plot latest loss
batchscope export latest --format sqlite --output digits.sqlite
batchscope doctor || true  # it warns of what a bare machine lacks
QT_QPA_PLATFORM=offscreen timeout 10m batchscope-desktop --run latest --grab window.png
test -s digits.sqlite
test -s window.png
test "$(batchscope ls --json | grep -c '"state":"finished"')" = 1
PERSON
apt-get remove -y -qq batchscope >/dev/null
! command -v batchscope
INSIDE
OUTSIDE
echo "$(basename "$package") installs, trains and goes away again on a bare Debian 12"
