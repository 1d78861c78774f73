#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gradients over the network between two machines: two network namespaces that a veth pair joins, a replica in each.

They meet at an address and port, with a secret, and Gloo's connections cross the pair; what the replicas have learnt is what
two of one machine do, to the last bit. For root alone, who may make namespaces; they go with the processes in them, whatever
ends this test.   namespaces_test.py TRAIN_REPLICA
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PATIENCE = 120  # s
HERE, THERE = "10.77.0.1", "10.77.0.2"  # nobody else's: the namespaces know no other network


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def train(launchers, variables):
    """Returns what each rank says it has learnt, where `launchers` holds the words before each one's program."""
    processes = []
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ADAPTDL_", "BATCHSCOPE_"))}
    with tempfile.TemporaryDirectory(prefix="namespaces-") as home:
        try:
            for rank, launcher in enumerate(launchers):
                environment = clean | {"ADAPTDL_NUM_REPLICAS": str(len(launchers)), "ADAPTDL_REPLICA_RANK": str(rank),
                                       "BATCHSCOPE_THREADS": "1", "BATCHSCOPE_RENDEZVOUS_DIR": home} | variables
                processes.append(subprocess.Popen([*launcher, sys.argv[1], "collective", "gradients"], env=environment, cwd=home,
                                                  stdout=subprocess.PIPE, text=True))
            said = [process.communicate(timeout=PATIENCE)[0] for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.wait()
    assert all(process.returncode == 0 for process in processes), said
    return [json.loads(text.splitlines()[-1]) for text in said]


def bytes_sent():
    """Through our end of the pair."""
    line = next(line for line in pathlib.Path("/proc/self/net/dev").read_text().splitlines() if line.strip().startswith("here:"))
    return int(line.split(":")[1].split()[8])


def main():
    if os.geteuid() != 0:
        skip("making network namespaces is root's")
    for tool in ("ip", "unshare", "nsenter"):
        if not shutil.which(tool):
            skip(f"no {tool} here (Debian's iproute2, util-linux)")
    if "INSIDE" not in os.environ:  # once more, in the first of the two
        if subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            skip("no namespaces may be made here, as in most containers")
        os.execvpe("unshare", ["unshare", "--net", "--fork", "--kill-child", sys.executable, *sys.argv],
                   os.environ | {"INSIDE": "1"})

    other = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        other.stdout.readline()  # it is in a namespace of its own now, and ends when our end of its input closes
        subprocess.run(["ip", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(other.pid)], check=True)
        inside = ["nsenter", f"--net=/proc/{other.pid}/ns/net"]
        for enter, device, address in ([], "here", HERE), (inside, "there", THERE):
            subprocess.run([*enter, "ip", "address", "add", f"{address}/24", "dev", device], check=True)
            for up in device, "lo":  # also one's own address is reached by loopback
                subprocess.run([*enter, "ip", "link", "set", up, "up"], check=True)
        alone = train([[], []], {})
        before = bytes_sent()
        apart = train([[], inside], {"BATCHSCOPE_RENDEZVOUS_DIR": "", "ADAPTDL_MASTER_ADDR": HERE, "ADAPTDL_MASTER_PORT": "4711",
                                     "ADAPTDL_NUM_NODES": "2", "BATCHSCOPE_RENDEZVOUS_TOKEN": "a secret of the two machines",
                                     "BATCHSCOPE_MEETING_TIMEOUT": "60"})
        crossed = bytes_sent() - before
    finally:
        other.kill()
        other.wait()
    assert len(apart[0]["weights"]) == 15 and apart[0] == apart[1], apart
    assert apart == alone, (apart, alone)
    assert crossed > 2000, crossed  # five steps' gradients, and what surrounds them
    print(f"{crossed} bytes crossed")


if __name__ == "__main__":
    main()
