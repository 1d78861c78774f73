#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`batchscope serve` tells Prometheus of a run that trains, is restarted and ends, and of the queue. promtool (of Debian's package
prometheus) finds no fault in the text, in the dashboard's expressions, and in the examples of METRICS.md.

  metrics.py BIN
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from run_scenario import PATIENCE, SKIPPED, Failure, Scenario, patiently

ROOT = pathlib.Path(__file__).resolve().parents[2]
FETCHED = ROOT / ".cache/promtool"  # by ./dev test
SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
NAME = 'one "quoted" \\ name'


def require(holds, what):
    if not holds:
        raise Failure(what)


class Server:
    """A `batchscope serve` of the scenario's store."""

    def __init__(self, scenario):
        self.process = subprocess.Popen([scenario.programs / "batchscope", "serve", "--port", "0", "--metrics-port", "0", "--json"],
                                        env=scenario.environment, text=True, stdout=subprocess.PIPE)
        self.told = json.loads(self.process.stdout.readline())
        self.url = f"http://localhost:{self.told['port']}/metrics"

    def scrape(self, url, accept, **fields):
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": accept, **fields}), timeout=PATIENCE) as answer:
            return answer.headers["Content-Type"], answer.read().decode()

    def text(self):
        """Returns what the port without a token answers, in the format that promtool reads."""
        return self.scrape(self.told["metrics"], "text/plain;version=0.0.4")[1]

    def values(self):
        """The value of each sample, by its name and the labels but for the run's id."""
        found = {}
        for line in self.text().splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = SAMPLE.fullmatch(line).groups()
            kept = [re.sub(r"\\(.)", r"\1", text) for label, text in LABEL.findall(labels or "") if label != "run"]
            found[(name, *kept)] = float(value)
        return found

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


def run_tool(tool, *arguments, **more):
    done = subprocess.run([tool, *arguments], text=True, capture_output=True, timeout=PATIENCE, **more)
    found = f"promtool {' '.join(map(str, arguments))} finds:\n{done.stdout}{done.stderr}"
    require(done.returncode == 0 and not done.stderr.strip(), found)


def check_dashboard(tool, home):
    board = json.loads((ROOT / "resources/grafana/batchscope.json").read_text())
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    require(len(expressions) > 10, "the dashboard shows too little")
    rules = home / "dashboard.json"  # JSON is YAML
    rules.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": [
        {"record": f"panel:{number}", "expr": re.sub(r"\$\w+", ".*", text)} for number, text in enumerate(expressions)]}]}))
    run_tool(tool, "check", "rules", rules)


def check_document(tool, home):
    for number, block in enumerate(re.findall(r"```yaml\n(.*?)```", (ROOT / "app/web/server/METRICS.md").read_text(), re.S)):
        file = home / f"example-{number}.yml"
        file.write_text(block)
        run_tool(tool, "check", *(["rules"] if block.startswith("groups:") else ["config", "--syntax-only"]), file)


def check_ways_in(server):
    bearer = {"Authorization": f"Bearer {server.told['token']}"}
    kind, text = server.scrape(server.url, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5", **bearer)
    require(kind == "application/openmetrics-text; version=1.0.0; charset=utf-8" and text.endswith("\n# EOF\n"), f"{kind}:\n{text}")
    try:
        server.scrape(server.url, "*/*")
    except urllib.error.HTTPError as error:
        require(error.code == 401, f"without the token: {error}")
    else:
        raise Failure("the server answers without the token")


def follow(scenario, server, tool):
    scenario.start(f"batchscope run --headless --name '{NAME}' --replicas 1 stumble -- --epochs 100000 --max-batch-size 256")
    scenario.wait('state == "running" and step > 0')
    require(server.values()["batchscope_run_replicas", NAME] == 1, "the run is not told")
    scenario.do("batchscope rescale latest 2")
    scenario.wait('state == "running" and len(generations) == 2 and generations[1]["pause"] is not None and latest["goodput"] > 0')
    values = server.values()
    told = {name: value for name, value in ((key[0], value) for key, value in values.items() if key[1:] == (NAME,))}
    print(told)
    require(values["batchscope_runs", "running"] == 1 and told["batchscope_run_replicas"] == 2, "not the run's state")
    require(told["batchscope_run_restarts_total"] == told["batchscope_run_restart_pause_seconds_count"] == 1, "not one restart")
    require(0 < told["batchscope_run_restart_pause_seconds_sum"] < PATIENCE, "not its pause")
    for name in ("steps", "goodput_samples_per_second", "throughput_samples_per_second", "batch_size_samples", "gain", "devices",
                 "efficiency_ratio", "progress_iterations"):
        require(told[f"batchscope_run_{name}"] > 0, f"no {name}")
    require(values["batchscope_devices_in_use", "cpu"] + values["batchscope_devices_in_use", "gpu"] > 0, "no device is in use")
    run_tool(tool, "check", "metrics", input=server.text())

    scenario.do("batchscope submit --hold --name later stumble")
    values = server.values()
    require(values["batchscope_queue_jobs", "held"] == values["batchscope_jobs_submitted_total",] == 1, "the job is not told")
    require(values["batchscope_job_wait_seconds", "later"] >= 0, "no wait")
    scenario.do("batchscope cancel later")
    patiently("a completion", lambda: server.values()["batchscope_job_completion_seconds_count", "cancelled"] == 1)

    scenario.do(f"batchscope stop '{NAME}'")
    patiently("the runs' end", lambda: server.values()["batchscope_runs", "stopped"] == 2)
    require(not any(key[0].startswith("batchscope_run_") for key in server.values()), "a run that is over has series")
    run_tool(tool, "check", "metrics", input=server.text())


def main(programs):
    tool = shutil.which("promtool") or shutil.which("promtool", path=FETCHED)
    if tool is None:
        print("promtool is not there: ./dev test fetches it")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="scenario-") as folder:
        home = pathlib.Path(folder)
        scenario = Scenario(programs, home)
        server = Server(scenario)
        try:
            check_dashboard(tool, home)
            check_document(tool, home)
            check_ways_in(server)
            follow(scenario, server, tool)
        except Failure as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            return 1
        finally:
            server.end()
            scenario.clean_up()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
