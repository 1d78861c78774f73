#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Table 2 of the AdaScale paper (Johnson et al. 2020) on this machine: see README.md beside this file.

Every cell is a run of `batchscope run`, so that all of them lie in the store; what has been run is not run again."""

import argparse
import concurrent.futures
import csv
import dataclasses
import json
import math
import os
import pathlib
import queue
import statistics
import subprocess
import sys

import chart

METHODS = {"adascale": "AdaScale", "linear": "Linear scaling", "linear+": "Linear, AdaScale's iterations",
           "up": "Elastic up", "down": "Elastic down"}
FIRST_SEED = 101
ELASTIC = {"up": [1, 2, 4], "down": [4, 2, 1]}  # replicas in each third of training


@dataclasses.dataclass(frozen=True)
class Task:
    program: str
    arguments: tuple  # beside --epochs, --seed, --micro-batches and --scaling-rule
    epochs: int
    batch_size: int  # initial
    samples: int     # of a pass
    scales: tuple    # S, 1 among them
    metric: str
    larger_is_better: bool = True

    def iterations(self, scale):
        """Returns the iterations of one pass."""
        return math.ceil(self.samples / (scale * self.batch_size))


TASKS = {
    "digits": Task("digits", ("--batch-size", "8", "--lr", "0.005", "--schedule", "steps"), 6, 8, 12000,
                   (1, 8, 16, 32, 64), "accuracy"),
    "language_model": Task("language_model", ("--words", "180000", "--lr", "0.2", "--schedule", "steps"), 3, 8, 10125,
                           (1, 4, 8, 16), "perplexity", False),
    "cifar": Task("cifar", ("--schedule", "steps", "--bf16", "--train-images", "50000", "--test-images", "10000"), 100, 128,
                  50000, (1, 8, 16, 32, 64), "accuracy"),
}
ON_A_CPU = ["digits", "language_model"]
QUICK = {"digits": dataclasses.replace(TASKS["digits"], epochs=2, samples=1600, scales=(1, 4),
                                       arguments=(*TASKS["digits"].arguments, "--train-images", "1600")),
         "cifar": dataclasses.replace(TASKS["cifar"], epochs=2, samples=1280, scales=(1, 4),
                                      arguments=("--schedule", "steps", "--bf16", "--width", "8", "--train-images", "1280",
                                                 "--test-images", "500"))}


@dataclasses.dataclass(frozen=True)
class Cell:
    task: str
    method: str
    scale: int  # the largest
    seed: int

    def name(self):
        return f"{self.task}-{self.method.replace('+', '-plus')}-S{self.scale}-seed{self.seed}"


class Table:
    def __init__(self, options):
        self.options = options
        self.tasks = {name: (QUICK if options.quick else TASKS)[name] for name in options.tasks}
        if options.data:
            self.tasks = {name: dataclasses.replace(task, arguments=(*task.arguments, "--data", options.data))
                          for name, task in self.tasks.items()}
        if options.epochs:
            self.tasks = {name: dataclasses.replace(task, epochs=options.epochs) for name, task in self.tasks.items()}
        if options.scales:
            self.tasks = {name: dataclasses.replace(task, scales=options.scales) for name, task in self.tasks.items()}
        self.out = pathlib.Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        subprocess.run([options.batchscope, "ls"], check=True, stdout=subprocess.DEVNULL)  # makes the catalogue, once

    # The trainings to run.

    def cells(self):
        """Yields the cells in the order in which they are wanted: first what the claims are about, of all seeds."""
        for part in (self.claimed, self.rest):
            for name, task in self.tasks.items():
                for seed in self.seeds():
                    for method, scale in part(task.scales):
                        yield Cell(name, method, scale, seed)

    @staticmethod
    def claimed(scales):
        return [(method, scales[-1]) for method in ("adascale", "linear", *ELASTIC)] + [("adascale", 1)]

    @staticmethod
    def rest(scales):
        rest = [(method, scale) for method in ("adascale", "linear") for scale in scales[1:-1]]
        return rest + [("linear+", scale) for scale in scales[1:]]  # these need AdaScale's iterations

    def replicas(self, cell):
        """Returns the replicas in each stage of the run: devices where there are enough, else micro-batches accumulated."""
        if cell.method in ELASTIC:
            return ELASTIC[cell.method]
        return [min(cell.scale, self.options.devices)]

    def epochs(self, cell):
        task = self.tasks[cell.task]
        if cell.method != "linear+":
            return task.epochs
        iterations = self.result(Cell(cell.task, "adascale", cell.scale, cell.seed))["run"]["step"]
        return math.ceil(iterations / task.iterations(cell.scale))

    def command(self, cell):
        task, replicas, epochs = self.tasks[cell.task], self.replicas(cell), self.epochs(cell)
        command = [self.options.batchscope, "run", "--headless", task.program, "--name", cell.name(), "--report",
                   str(self.report(cell)), "--checkpoint-every", "0", "--replicas", str(replicas[0]),
                   "--oversubscribe", "--non-finite", "stop", "--group", self.options.group]
        for stage, count in enumerate(replicas[1:], 1):
            command += ["--at", f"epoch={stage * epochs // len(replicas)}:replicas={count}"]
        rule = "linear" if cell.method.startswith("linear") else "adascale"
        return command + ["--", *task.arguments, "--epochs", str(epochs), "--seed", str(cell.seed), "--micro-batches",
                          str(max(1, cell.scale // max(replicas))), "--scaling-rule", rule, "--noise-mode", self.options.noise_mode]

    # The trainings that were run.

    def report(self, cell):
        return self.out / f"{cell.name()}.report.json"

    def finished(self, cell):
        """Returns whether the run has a result. If gradients are not finite the engine ends the run, which is a result, too."""
        file = self.report(cell)
        run = json.loads(file.read_text())["run"] if file.exists() else {"state": "", "message": ""}
        return run["state"] == "finished" or (run["state"] == "failed" and "NaN" in run["message"])

    def result(self, cell):
        """Returns the report with the series that the figures show, or None."""
        file = self.out / f"{cell.name()}.json"
        return json.loads(file.read_text()) if file.exists() else None

    def run(self, cell):
        if not self.finished(cell):
            with open(self.out / f"{cell.name()}.log", "w") as log:
                subprocess.run(self.command(cell), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        if not self.finished(cell):
            raise SystemExit(f"{cell.name()} did not finish: see {self.out / cell.name()}.log")
        result = json.loads(self.report(cell).read_text())
        result["series"] = self.series(result["run"]["id"])
        partial = self.out / f"{cell.name()}.partial"
        partial.write_text(json.dumps(result))
        partial.rename(self.out / f"{cell.name()}.json")
        return result

    def series(self, run):
        """Returns steps, progress and loss, thinned to what a figure shows."""
        exported = subprocess.run([self.options.batchscope, "export", run, "--format", "csv", "--series", "loss", "--series",
                                   "progress", "-o", "-"], check=True, capture_output=True, text=True).stdout
        samples = {"loss": {}, "progress": {}}
        for row in csv.DictReader(exported.splitlines()):
            samples[row["series"]][int(row["step"])] = float(row["value"])
        rows = [(step, samples["progress"][step], loss) for step, loss in sorted(samples["loss"].items())]
        width = max(1, math.ceil(len(rows) / 120))
        return [[*rows[at][:2], statistics.fmean(row[2] for row in rows[at:at + width])]
                for at in range(0, len(rows), width)]

    def run_all(self):
        cells = list(self.cells())
        left = [cell for cell in cells if not self.result(cell)]
        running = {}
        # Each job has cores of its own, and its runs inherit them: they take as many threads as they see cores.
        cores, jobs = sorted(os.sched_getaffinity(0)), self.options.jobs
        shares = queue.SimpleQueue()
        for job in range(jobs):
            shares.put(cores[job % len(cores)::jobs])
        with concurrent.futures.ThreadPoolExecutor(
                jobs, initializer=lambda: os.sched_setaffinity(0, shares.get())) as pool:
            for cell in left:
                needs = running.get(Cell(cell.task, "adascale", cell.scale, cell.seed)) if cell.method == "linear+" else None
                running[cell] = pool.submit(self.run_after, needs, cell)
            done = len(cells) - len(left)
            for future in concurrent.futures.as_completed(running.values()):
                cell, result = future.result()
                done += 1
                print(f"[{done}/{len(cells)}] {cell.name():42} {self.tasks[cell.task].metric} {self.metric(cell):.4f}, "
                      f"{result['run']['step']} iterations, {result['duration']:.0f} s", flush=True)

    def run_after(self, needed, cell):
        if needed:
            needed.result()  # begun before this one, so there is a worker that ends it
        return cell, self.run(cell)

    # The results.

    def metric(self, cell):
        """Returns the final metric; NaN if the engine has ended the run."""
        result = self.result(cell)
        if result["run"]["state"] != "finished":
            return math.nan
        return float(result["final"][self.tasks[cell.task].metric])  # of "nan" and "inf" too

    def diverged(self, cell):
        """Returns whether a loss is not finite, or the metric is less than half as good as the mean of S = 1."""
        task, value = self.tasks[cell.task], self.metric(cell)
        base = statistics.fmean(self.metric(Cell(cell.task, "adascale", 1, seed)) for seed in self.seeds())
        if not all(map(math.isfinite, [value, *(row[2] for row in self.result(cell)["series"])])):
            return True
        return value < base / 2 if task.larger_is_better else value > 2 * base

    def seeds(self):
        return range(FIRST_SEED, FIRST_SEED + self.options.seeds)

    def rows(self):
        for task, method, scale in dict.fromkeys((cell.task, cell.method, cell.scale) for cell in self.cells()):
            cells = [Cell(task, method, scale, seed) for seed in self.seeds()]
            results = [self.result(cell) for cell in cells]
            values = [self.metric(cell) for cell in cells]
            iterations = [result["run"]["step"] for result in results]
            yield {"task": task, "method": method, "scale": scale, "replicas": self.replicas(cells[0]),
                   "metric": self.tasks[task].metric, "values": values, "mean": statistics.fmean(values),
                   "diverged": sum(map(self.diverged, cells)),
                   "iterations": statistics.fmean(iterations),
                   "scale_invariant_iterations": statistics.fmean(result["final"]["progress"] for result in results),
                   "gain": statistics.fmean(result["final"]["progress"] / steps
                                            for result, steps in zip(results, iterations))}

    def claims(self, rows):
        """Yields (claim, measured value, whether it holds) for the largest scale."""
        for task in self.tasks:
            largest = self.tasks[task].scales[-1]
            row = {(row["method"], row["scale"]): row for row in rows if row["task"] == task}
            base, ours, linear = row["adascale", 1], row["adascale", largest], row["linear", largest]
            # Points: hundredths of an accuracy, percent of a perplexity.
            larger = self.tasks[task].larger_is_better
            worse = lambda one, other: 100 * (other["mean"] - one["mean"] if larger else one["mean"] / other["mean"] - 1)
            by = worse(ours, base)
            yield f"{task}: AdaScale at S = {largest} at most 0.5 points worse than S = 1", f"{by:.2f}", by <= 0.5
            by = worse(linear, ours)
            yield (f"{task}: linear scaling at S = {largest} diverged, or more than 0.5 points worse than AdaScale",
                   f"{by:.2f}, {linear['diverged']} of {len(linear['values'])} diverged", linear["diverged"] > 0 or by > 0.5)
            total = base["iterations"]
            yield (f"{task}: AdaScale's iterations at S = {largest} between T / S and T",
                   f"{ours['iterations']:.0f} in {total / largest:.0f}..{total:.0f}",
                   total / largest <= ours["iterations"] <= total)
            by = abs(ours["iterations"] * ours["gain"] / total - 1) * 100
            yield f"{task}: iterations times the mean gain within 2 % of T", f"{by:.2f} %", by <= 2
            for method in ELASTIC:
                by = worse(row[method, largest], base)
                yield f"{task}: {METHODS[method].lower()} at most 0.5 points worse than S = 1", f"{by:.2f}", by <= 0.5

    def markdown(self, rows, claims):
        out = ["| task | method | S | replicas | metric, mean (of each seed) | diverged | iterations | mean gain |",
               "|---|---|---|---|---|---|---|---|"]
        for row in sorted(rows, key=lambda row: (row["task"], list(METHODS).index(row["method"]), row["scale"])):
            replicas = " → ".join(map(str, row["replicas"]))
            number = lambda value: f"{value:.4f}" if math.isfinite(value) else "NaN"
            values = ", ".join(map(number, row["values"]))
            elastic = row["method"] in ELASTIC
            per_replica = row["scale"] // max(row["replicas"])
            scale = " → ".join(str(count * per_replica) for count in row["replicas"]) if elastic else row["scale"]
            out.append(f"| {row['task']} | {METHODS[row['method']]} | {scale} | {replicas} | {row['metric']} "
                       f"{number(row['mean'])} ({values}) | {row['diverged'] or ''} | {row['iterations']:.0f} "
                       f"| {row['gain']:.2f} |")
        out += ["", "| what must come out | seen | holds |", "|---|---|---|"]
        out += [f"| {what} | {seen} | {'yes' if holds else '**no**'} |" for what, seen, holds in claims]
        return "\n".join(out) + "\n"

    def figures(self, rows):
        for task in self.tasks:
            lines = []
            for method in ("adascale", "linear", "linear+"):
                found = [row for row in rows if row["task"] == task and (row["method"] == method or row["scale"] == 1)]
                line = []
                for row in found:
                    if values := [] if row["method"] in ELASTIC else list(filter(math.isfinite, row["values"])):
                        line.append((row["scale"], statistics.fmean(values), min(values), max(values)))
                lines.append((METHODS[method], sorted(line)))
            metric = self.tasks[task].metric
            legend = (90, 290 if self.tasks[task].larger_is_better else 60)  # on the left, where the lines are one
            self.write(f"{task}-scale.svg", chart.line_chart(f"{task}: {metric} against scale", "scale S", metric, lines,
                                                             log_x=True, legend=legend))
            for column, words in ((0, "iterations"), (1, "scale-invariant iterations")):
                lines = [(f"S = {scale}", [(row[column], row[2]) for row in
                                           self.result(Cell(task, "adascale", scale, FIRST_SEED))["series"]])
                         for scale in self.tasks[task].scales]
                self.write(f"{task}-loss-{words.replace(' ', '-')}.svg",
                           chart.line_chart(f"{task}: training loss of AdaScale", words, "loss", lines))

    def write(self, name, text):
        (self.out / name).write_text(text)

    def conclude(self):
        rows = list(self.rows())
        claims = list(self.claims(rows))
        self.write("table.md", self.markdown(rows, claims))
        table = {"rows": rows, "claims": [dict(zip(("claim", "seen", "holds"), claim)) for claim in claims]}
        table = json.loads(json.dumps(table), parse_constant=lambda name: None)  # JSON has no NaN
        self.write("table.json", json.dumps(table, indent=1) + "\n")
        self.figures(rows)
        print((self.out / "table.md").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="example: examples/table2/table2.py --batchscope build/release/bin/batchscope")
    parser.add_argument("--batchscope", default="batchscope", help="the program, where it is not in the PATH")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, help="default: those for a CPU, " + " and ".join(ON_A_CPU))
    parser.add_argument("--data", type=os.path.abspath, help="data for the task instead of drawn ones: the folder of CIFAR-10")
    parser.add_argument("--scales", nargs="+", type=int, help="the scales S, for all tasks; 1 is always among them")
    parser.add_argument("--epochs", type=int, help="passes, for all tasks; default: each task's own")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds")
    parser.add_argument("--noise-mode", choices=("adaptdl", "paper"), default="adaptdl", help="how AdaScale's noise is averaged")
    parser.add_argument("--devices", type=int, default=1, help="use up to this many replicas; the rest of S is accumulated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--out", default="table2-results", help="folder of the results; a later call continues from them")
    parser.add_argument("--group", default="table2", help="group of the runs in the store")
    parser.add_argument("--quick", action="store_true", help="run for a minute or two, to see that it works")
    options = parser.parse_args()
    options.tasks = options.tasks or (ON_A_CPU[:1] if options.quick else ON_A_CPU)
    if options.quick:
        options.seeds = 1
    if options.scales:
        options.scales = sorted({1, *options.scales})
        if options.scales[-1] < 4:
            parser.error("--scales: the elastic runs need one of at least 4")
    table = Table(options)
    table.run_all()
    table.conclude()


if __name__ == "__main__":
    sys.exit(main())
