#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether the archive works on a Debian that has no Qt and nothing else but what belongs to any desktop, a screen (Xvfb) and its
# libraries (in_bare_debian.sh): an ordinary user unpacks it, trains the example and a script, and opens the window.
#
#   try_portable_on_bare_debian.sh FOLDER batchscope-*-linux-*.tar.xz
set -euo pipefail
"$(dirname "$0")/in_bare_debian.sh" "$1" "$2" <<'INSIDE'
apt-get update -qq
apt-get install -y -qq --no-install-recommends xz-utils python3 xvfb xauth xdotool imagemagick libegl1 libgl1 libx11-xcb1 \
  libfontconfig1 libharfbuzz0b fonts-dejavu-core >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
echo '127.0.0.1 localhost' >/etc/hosts
useradd --create-home person
cp /root/batchscope-*.tar.xz ~person
su person <<'PERSON'
set -eux
cd
tar xf batchscope-*.tar.xz
cd batchscope-*/
if find . -type f \( -perm -u+x -o -name '*.so*' \) -exec ldd {} + 2>/dev/null | grep 'not found'; then exit 1; fi
./batchscope --version
./batchscope doctor || true  # it warns of what a bare machine lacks
./batchscope run --headless --replicas 2 least_squares -- --epochs 2
printf 'import batchscope\nfor step in range(100):\n    batchscope.step(loss=1 / (step + 1), batch_size=8)\n' >train.py
PYTHON=/usr/bin/python3 ./batchscope run --headless train.py
./batchscope ls
test "$(./batchscope ls --json | grep -o '"state":"finished"' | wc -l)" = 2
xvfb-run --auto-servernum --server-args='-screen 0 1440x900x24' sh -euxc '
  ./batchscope-desktop &
  window=$!
  xdotool search --sync --onlyvisible --name BatchScope >/dev/null
  sleep 3
  kill -0 $window
  import -window root /tmp/window.png
  kill $window'
test "$(stat -c %s /tmp/window.png)" -gt 20000
PERSON
INSIDE
echo "$(basename "$2") trains and opens its window on a bare Debian ($(cat "$1/etc/debian_version"))"
