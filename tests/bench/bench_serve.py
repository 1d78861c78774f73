#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of `batchscope serve`, and how long a person waits for it."""
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BENCHES = pathlib.Path(__file__).resolve().parent
PROGRAM = BENCHES.parent / "batchscope"
GOALS = {"serve.step": 1.01, "serve.cpu": None, "serve.bytes": None, "serve.first": 0.3}
UNITS = {"serve.step": "ratio", "serve.cpu": "cores", "serve.bytes": "B/s", "serve.first": "s"}
PAGES, PAIRS, BLOCK, WARM_UP = 20, 9, 5, 5  # the last two in s
SETTLED = 1  # s, in which the last samples are written
STARTS = 5
CHARTS = ["loss", "gain", "batch_size", "goodput", "throughput", "step_time", "lr", "replicas"]

READER = """
import selectors, socket, sys, time
port, count, request = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
selector = selectors.DefaultSelector()
for _ in range(count):
    page = socket.create_connection(("127.0.0.1", port))
    page.sendall(request)
    selector.register(page, selectors.EVENT_READ)
print("there", flush=True)
received, until = 0, time.monotonic() + float(sys.argv[4])
while (left := until - time.monotonic()) > 0:
    for key, _ in selector.select(left):
        received += len(key.fileobj.recv(1 << 16))
print(received, flush=True)
"""


class Server:
    def __init__(self, environment):
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--json"], env=environment, stdout=subprocess.PIPE,
                                        text=True)
        self.address = json.loads(self.process.stdout.readline())

    def head(self, path):
        return (f"GET {path} HTTP/1.1\r\nHost: localhost:{self.address['port']}\r\n"
                f"Authorization: Bearer {self.address['token']}\r\n\r\n")

    def get(self, path):
        connection = http.client.HTTPConnection("localhost", self.address["port"])
        connection.request("GET", path, headers={"Authorization": "Bearer " + self.address["token"]})
        response = connection.getresponse()
        body = json.load(response)
        if response.status != 200:
            raise RuntimeError(body)
        return body

    def cpu(self):
        """Seconds of a core that it has taken so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def environment_in(home):
    return dict(os.environ, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)


def watched(server, run, seconds):
    """PAGES pages of the run, for this time; the process prints how many bytes they have got."""
    reader = subprocess.Popen([sys.executable, "-c", READER, str(server.address["port"]), str(PAGES),
                               server.head(f"/api/runs/{run}/stream"), str(seconds)], stdout=subprocess.PIPE, text=True)
    reader.stdout.readline()
    return reader


def step_time(server, run, seconds):
    """The median, which a stall of the machine does not move."""
    def step():
        return server.get(f"/api/runs/{run}")["status"]["step"]
    first = step() + 1
    time.sleep(seconds)
    last = step()
    time.sleep(SETTLED)
    series = server.get(f"/api/runs/{run}/samples?series=step_time&x=step&from={first}&to={last}&columns=4000")["series"]
    return statistics.median(mean for piece in series["step_time"] for mean in piece["mean"])


def of_training(home):
    environment = environment_in(home)
    options = ["--epochs", "10000", "--no-autoscale", "--batch-size", "64"]
    started = subprocess.run([PROGRAM, "run", "digits", "--detach", "--json", "--replicas", "1", "--", *options], env=environment,
                             check=True, capture_output=True, text=True).stdout
    run = json.loads(started.splitlines()[-1])["run"]
    server = Server(environment)
    ratios, rates, shares = [], [], []
    try:
        time.sleep(WARM_UP)
        for pair in range(PAIRS):
            if pair % 2 == 0:
                alone = step_time(server, run, BLOCK)
            reader = watched(server, run, BLOCK + SETTLED)
            before, began = server.cpu(), time.monotonic()
            with_pages = step_time(server, run, BLOCK)
            shares.append((server.cpu() - before) / (time.monotonic() - began))
            rates.append(int(reader.stdout.readline()) / PAGES / (BLOCK + SETTLED))
            reader.wait()
            if pair % 2 == 1:
                alone = step_time(server, run, BLOCK)
            ratios.append(with_pages / alone)
    finally:
        subprocess.run([PROGRAM, "stop", run], env=environment, check=False, capture_output=True)
        for _ in range(100):
            if server.get(f"/api/runs/{run}")["run"]["state"] == "stopped":
                break
            time.sleep(0.1)
        server.end()
    return {"serve.step": ratios, "serve.cpu": shares, "serve.bytes": rates}


def of_large_store(home):
    environment = environment_in(home)
    subprocess.run([BENCHES / "big_store", "make", "10"], env=environment, check=True)
    seconds = []
    for _ in range(STARTS):
        began = time.monotonic()
        server = Server(environment)
        try:
            run = server.get("/api/runs?where=name%3Dlong")["runs"][0]["id"]
            server.get("/api/runs")
            server.get(f"/api/runs/{run}")
            for series in CHARTS:
                server.get(f"/api/runs/{run}/samples?series={series}&columns=2000&x=time")
            seconds.append(time.monotonic() - began)
        finally:
            server.end()
    return {"serve.first": seconds}


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(GOALS))
        return
    wanted = set(sys.argv[1:]) or set(GOALS)
    for measure, names in ((of_large_store, {"serve.first"}), (of_training, {"serve.step", "serve.cpu", "serve.bytes"})):
        if not wanted & names:
            continue
        with tempfile.TemporaryDirectory(prefix="serve-", ignore_cleanup_errors=True) as home:
            for name, values in measure(home).items():
                if name in wanted:
                    print(json.dumps({"name": name, "value": statistics.median(values), "unit": UNITS[name], "better": "lower",
                                      "goal": GOALS[name], "runs": len(values), "min": min(values), "max": max(values)}),
                          flush=True)


if __name__ == "__main__":
    main()
