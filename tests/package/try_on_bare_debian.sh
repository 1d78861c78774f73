#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether a package of ours installs and works on a Debian that has nothing else (in_bare_debian.sh), the one that it was made on: an
# ordinary user looks at the empty store, trains the digits on two replicas, and looks again.
#
#   try_on_bare_debian.sh FOLDER batchscope_*.deb
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cp "$2" "$folder/batchscope.deb"
"$(dirname "$0")/in_bare_debian.sh" "$1" "$folder/batchscope.deb" <<'INSIDE'
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
echo "$(basename "$2") installs, trains and goes away again on a bare Debian ($(cat "$1/etc/debian_version"))"
