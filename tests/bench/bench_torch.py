#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What batchscope.torch costs. python.step.MODEL.kN: a step, everything on, over the same step of plain PyTorch on one
replica and of DistributedDataParallel over Gloo on two; both loops run in the same processes, in short turns, on the
same data, and the value is the ratio of their median times. python.restart.AtoB: seconds of a planned restart of a small
network from A replicas to B, forked. It starts itself as the replicas of a measure; needs python3-torch."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

STEPS = {"python.step.mlp.k1": 1.15, "python.step.mlp.k2": 1.10, "python.step.resnet18.k1": 1.02,
         "python.step.resnet18.k2": 1.00}
RESTARTS = {f"python.restart.{pair}": 0.15 for pair in ("1to1", "1to2", "2to2", "2to1")}
CYCLE = [1, 2, 2, 1]  # from 1: every pair of counts once
RUNS = 3

BIN = pathlib.Path(__file__).resolve().parent.parent
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
ENVIRONMENT = dict(os.environ, PYTHONPATH=f"{BIN / 'python'}:{os.environ.get('PYTHONPATH', '')}")


# The replicas of python.step.

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


def replica(name, replicas, place):
    import torch
    import batchscope.torch as adl
    from torch.nn.functional import cross_entropy

    adl.init_process_group("gloo")
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
        if replicas == 1:
            return model
        torch.distributed.init_process_group("gloo", f"file://{place}/ddp", rank=adl.env.replica_rank(), world_size=replicas)
        return torch.nn.parallel.DistributedDataParallel(model)

    both = [trainee(plain), trainee(adl.AdaptiveDataParallel)]
    times = [[], []]
    for turn in range(-1, turns):
        for step, taken in zip(both, times):
            for _ in range(warm_up if turn < 0 else steps):
                began = time.perf_counter()
                step()
                if turn >= 0:
                    taken.append(time.perf_counter() - began)
    if adl.env.replica_rank() == 0:
        print(statistics.median(times[1]) / statistics.median(times[0]))


def step_ratio(name):
    _, _, model, count = name.split(".")
    replicas = int(count[1:])
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        started = []
        for rank in range(replicas):
            environment = dict(ENVIRONMENT, ADAPTDL_NUM_REPLICAS=str(replicas), ADAPTDL_REPLICA_RANK=str(rank),
                               BATCHSCOPE_RENDEZVOUS_DIR=place, ADAPTDL_CHECKPOINT_PATH=f"{place}/checkpoints",
                               BATCHSCOPE_THREADS="1", OPENBLAS_NUM_THREADS="1")
            started.append(subprocess.Popen([PYTHON, __file__, "--replica", model, str(replicas), place], env=environment,
                                            stdout=subprocess.PIPE, text=True))
        said = [process.communicate()[0] for process in started]
    return float(said[0])


# The program of python.restart, and its supervisor.

def small_network():
    import torch
    from torch import nn
    import batchscope.torch as adl

    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(4096, 1, 8, 8), torch.randint(10, (4096,)))
    adl.init_process_group("gloo")
    model = nn.Sequential(nn.Conv2d(1, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = adl.AdaptiveDataLoader(data, batch_size=32)
    model = adl.AdaptiveDataParallel(model, optimizer)
    for _ in adl.remaining_epochs_until(1000):
        for inputs, targets in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()


def restarts():
    """Seconds by name, of one run. Its fork server loads while the first generation trains."""
    counts, apart, first = CYCLE * 2, 100, 3000
    with tempfile.TemporaryDirectory(prefix="restart-") as home:
        environment = dict(ENVIRONMENT, BATCHSCOPE_DB=f"{home}/runs.db", XDG_DATA_HOME=home, XDG_STATE_HOME=home)
        triggers = [f"step={first + apart * i}:replicas={count}" for i, count in enumerate(counts)]
        triggers.append(f"step={first + apart * len(counts)}:stop")
        command = [BIN / "batchscope", "run", "--headless", "--replicas", "1"]
        command += [word for trigger in triggers for word in ("--at", trigger)]
        done = subprocess.run([*command, "--", PYTHON, __file__, "--small-network"], env=environment, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        shown = subprocess.run([BIN / "batchscope", "show", "latest", "--json"], env=environment, capture_output=True,
                               text=True, check=True)
    seen = json.loads(shown.stdout)
    generations = seen["generations"]
    forked = sum(event["text"].endswith(", forked") for event in seen["events"])
    if len(generations) != len(counts) + 1 or forked != len(counts):
        sys.exit(f"{len(generations)} generations, {forked} of them forked:\n{done.stdout}{done.stderr}")
    pairs = list(zip(generations, generations[1:]))[len(CYCLE):]
    return {f"python.restart.{before['replicas']}to{after['replicas']}": after["pause"] for before, after in pairs}


def tell(name, values, unit, goal):
    print(json.dumps({"name": name, "value": statistics.median(values), "unit": unit, "better": "lower", "goal": goal,
                      "runs": len(values), "min": min(values), "max": max(values)}), flush=True)


def main():
    if sys.argv[1:2] == ["--replica"]:
        return replica(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    if sys.argv[1:] == ["--small-network"]:
        return small_network()
    names = [*STEPS, *RESTARTS]
    if sys.argv[1:] == ["--list"]:
        return print("\n".join(names))
    wanted = sys.argv[1:] or names
    for name in STEPS:
        if name in wanted:
            tell(name, [step_ratio(name) for _ in range(RUNS)], "ratio", STEPS[name])
    if any(name in RESTARTS for name in wanted):
        runs = [restarts() for _ in range(RUNS)]
        for name in RESTARTS:
            if name in wanted:
                tell(name, [run[name] for run in runs], "s", RESTARTS[name])


if __name__ == "__main__":
    main()
