#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of batchscope.torch. python.step.MODEL.kN: a step, everything on, over the same step of plain
PyTorch on one replica and of DistributedDataParallel over Gloo on two; both loops run in the same processes, in short
turns, on the same data, and the value is the ratio of their median times. python.monitor.MODEL.kN: a step of
DistributedDataParallel with batchscope.torch.monitor, recorded, over one without, likewise; with .asked, where the examples of
each step are asked, and not those of one step in 16. It starts itself as the replicas of a measure; needs python3-torch.
(bench_restart measures python.restart.)"""
import contextlib
import itertools
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

STEPS = {"python.step.mlp.k1": 1.15, "python.step.mlp.k2": 1.10, "python.step.resnet18.k1": 1.02,
         "python.step.resnet18.k2": 1.00, "python.monitor.mlp.k1": 1.06, "python.monitor.mlp.k1.asked": None, "python.monitor.mlp.k2": 1.05,
         "python.monitor.resnet18.k2": 1.02}
RUNS = 3

BIN = pathlib.Path(__file__).resolve().parent.parent
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
ENVIRONMENT = dict(os.environ, PYTHONPATH=f"{BIN / 'python'}:{os.environ.get('PYTHONPATH', '')}")


# The replicas of a measure.

def models():
    import torch
    from torch import nn
    from torch.nn import functional

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(2))
            self.shortcut = nn.Identity() if inputs == outputs and stride == 1 else nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

        def forward(self, x):
            inner = functional.relu(self.norms[0](self.first(x)))
            return functional.relu(self.norms[1](self.second(inner)) + self.shortcut(x))

    def resnet18():
        layers, inputs = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()], 64
        for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
            inputs = outputs
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))

    def mlp():
        return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))

    return {"mlp": (mlp, torch.randn(64, 784), 50, 15, 20), "resnet18": (resnet18, torch.randn(8, 3, 32, 32), 4, 5, 4)}


def replica(measure, name, replicas, place, is_asked):
    import torch
    import batchscope.torch as adl
    from batchscope.torch import ddp_monitor
    from torch.nn.functional import cross_entropy

    if is_asked:
        ddp_monitor.EXAMPLES_INTERVAL = 1
    if measure == "step":
        adl.init_process_group("gloo")
    if measure == "monitor" or replicas > 1:
        torch.distributed.init_process_group("gloo", f"file://{place}/ddp", rank=adl.env.replica_rank(), world_size=replicas)
    torch.set_num_threads(1)
    make, inputs, warm_up, turns, steps = models()[name]
    targets = torch.randint(10, (len(inputs),))

    def trainee(wrap):
        torch.manual_seed(0)
        model = make()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        model = wrap(model, optimizer)

        def step():
            optimizer.zero_grad(set_to_none=True)
            cross_entropy(model(inputs), targets).backward()
            optimizer.step()
        return step

    def plain(model, optimizer):
        return torch.nn.parallel.DistributedDataParallel(model) if torch.distributed.is_initialized() else model

    def monitored(model, optimizer):
        model = plain(model, optimizer)
        adl.monitor(model, optimizer)
        return model

    def batches():
        """The loop that AdaptiveDataParallel wants its steps in; what the loader itself takes is not measured."""
        data = torch.arange((warm_up + turns * steps + 1) * len(inputs) * replicas)
        loader = adl.AdaptiveDataLoader(torch.utils.data.TensorDataset(data), batch_size=len(inputs) * replicas)
        for _ in adl.remaining_epochs_until(1):
            yield from loader

    both = [trainee(plain), trainee(adl.AdaptiveDataParallel if measure == "step" else monitored)]
    loops = [itertools.repeat(None), batches() if measure == "step" else itertools.repeat(None)]
    times = [[], []]
    for turn in range(-1, turns):
        for step, loop, taken in zip(both, loops, times):
            for _ in range(warm_up if turn < 0 else steps):
                next(loop)
                began = time.perf_counter()
                step()
                if turn >= 0:
                    taken.append(time.perf_counter() - began)
    if adl.env.replica_rank() == 0:
        print(statistics.median(times[1]) / statistics.median(times[0]))


def hear(listener):
    """Reads what a process records, as a supervisor does."""
    with contextlib.suppress(OSError):
        with listener.accept()[0] as connection:
            while connection.recv(1 << 16):
                pass


def step_ratio(name):
    _, measure, model, count, *asked = name.split(".")
    replicas = int(count[1:])
    with tempfile.TemporaryDirectory(prefix="bench-") as place, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{place}/socket")
        listener.listen()
        threading.Thread(target=hear, args=(listener,), daemon=True).start()
        recorded = {"BATCHSCOPE_TELEMETRY_SOCKET": f"{place}/socket"} if measure == "monitor" else {}
        started = []
        for rank in range(replicas):
            environment = dict(ENVIRONMENT, ADAPTDL_NUM_REPLICAS=str(replicas), ADAPTDL_REPLICA_RANK=str(rank),
                               BATCHSCOPE_RENDEZVOUS_DIR=place, ADAPTDL_CHECKPOINT_PATH=f"{place}/checkpoints",
                               BATCHSCOPE_THREADS="1", OPENBLAS_NUM_THREADS="1", **recorded)
            started.append(subprocess.Popen([PYTHON, __file__, "--replica", measure, model, str(replicas), place, *asked], env=environment,
                                            stdout=subprocess.PIPE, text=True))
        said = [process.communicate()[0] for process in started]
    return float(said[0])


def main():
    if sys.argv[1:2] == ["--replica"]:
        return replica(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5], "asked" in sys.argv[6:])
    if sys.argv[1:] == ["--list"]:
        return print("\n".join(STEPS if list((BIN / "python/batchscope").glob("_engine.*")) else ()))
    for name in sys.argv[1:] or STEPS:
        values = [step_ratio(name) for _ in range(RUNS)]
        print(json.dumps({"name": name, "value": statistics.median(values), "unit": "ratio", "better": "lower",
                          "goal": STEPS[name], "runs": RUNS, "min": min(values), "max": max(values)}), flush=True)


if __name__ == "__main__":
    main()
