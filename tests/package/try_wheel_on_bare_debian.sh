#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether our wheel installs and works on a Debian that has nothing but Python (in_bare_debian.sh): an ordinary user installs it
# without network into an environment, records a script, and looks at it.
#
#   try_wheel_on_bare_debian.sh FOLDER batchscope-*.whl
set -euo pipefail
"$(dirname "$0")/in_bare_debian.sh" "$1" "$2" <<'INSIDE'
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3-venv >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
echo '127.0.0.1 localhost' >/etc/hosts
useradd --create-home person
cp /root/batchscope-*.whl ~person
su person <<'PERSON'
set -eux
cd
python3 -m venv environment
environment/bin/pip install --quiet --no-index batchscope-*.whl
PATH=$PWD/environment/bin:$PATH
if find environment/lib/*/*/batchscope/_installed -type f -perm -u+x -exec ldd {} + | grep 'not found'; then exit 1; fi
batchscope --version
batchscope doctor || true  # it warns of what a bare machine lacks
cat >train.py <<'SCRIPT'
import batchscope
for epoch in batchscope.epochs(2):
    for step in range(100):
        batchscope.step(loss=1 / (step + 1), batch_size=8)
SCRIPT
batchscope run --headless train.py
batchscope show latest
batchscope plot latest loss
test "$(batchscope ls --json | grep -c '"state":"finished"')" = 1
batchscope serve --port 0 --json >served &
server=$!
until test -s served; do sleep 0.1; done
python3 -c 'import json, urllib.request as web
print(web.build_opener(web.HTTPCookieProcessor()).open(json.load(open("served"))["url"]).status)'
kill $server
PERSON
INSIDE
echo "$(basename "$2") installs, records and serves on a bare Debian ($(cat "$1/etc/debian_version"))"
