#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""make_further.py ADASCALE_PY: writes gns_further.json and fairscale_adascale_further.json beside itself, of what AdaptDL and
FairScale compute in trainings that gns.json and fairscale_adascale.json lack. Nothing of theirs is copied: AdaptDL is
imported (PYTHONPATH; see README.md), FairScale's optim/adascale.py is loaded from the path that is given.

The model and its data are those of gns.json. Every replica is a process of its own, which records its training and
prints it; the first process puts them together.
"""

import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INITIAL = 8  # batch size
STEPS = 24

# name, replicas, micro-batches beyond the first (a list: one after another, each for as many steps), what differs from SGD in
# one group. Adam's rule "AdamScale" is given to
# AdaptDL, which measures preconditioned gradients then; without it AdaptDL takes the same rule and plain gradients.
ADAPTDL = [
    ("r2_accum1", 2, 1, {}),
    ("r2_two_groups_accum2", 2, 2, {"lrs": [0.05, 0.02]}),
    ("r1_adam_accum1", 1, 1, {"optimizer": "adam", "rule": "AdamScale", "lrs": [0.01]}),
    ("r1_adam_noaccum", 1, 0, {"optimizer": "adam", "rule": "AdamScale", "lrs": [0.01]}),
    ("r2_adam_accum1", 2, 1, {"optimizer": "adam", "rule": "AdamScale", "lrs": [0.01]}),
    ("r1_adam_plain_norms", 1, 1, {"optimizer": "adam", "rule": None, "lrs": [0.01]}),
    # The estimate from differences ends twice, in the middle of its averages.
    ("r1_transitions", 1, [0, 1, 0, 2], {}),
]
# The mean of seven estimates, then their average: 1 / (1 - smoothing) is 8.
PAPER = {"debias_ewma": False, "smoothing": 0.875}
FAIRSCALE = [
    ("k2_world2", 2, 2, {}),
    ("k2_world2_unscaled", 2, 2, {"is_scaled_loss": False}),
    ("k2_world1_undebiased", 1, 2, PAPER),
    ("k1_world2_undebiased", 2, 1, PAPER),
    ("k2_world1_adam", 1, 2, {"optimizer": "adam", "lr": 0.01}),
]


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Training:
    """The model of gns.json, and its samples in their order: rank r of K takes every K-th from r on."""

    def __init__(self, replicas, rank):
        import torch
        self.torch = torch
        recorded = json.loads((HERE / "gns.json").read_text())
        self.x, self.y = torch.tensor(recorded["x"]), torch.tensor(recorded["y"])
        self.model = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        with torch.no_grad():
            for parameter, values in zip(self.model.parameters(), recorded["weights"]):
                parameter.copy_(torch.tensor(values).view(parameter.shape))
        self.mine = list(range(len(self.x)))[rank::replicas]
        self.at = 0

    def samples(self):
        if self.at + INITIAL > len(self.mine):
            self.at = 0
        self.at += INITIAL
        return self.mine[self.at - INITIAL:self.at]

    def loss(self, forward, samples):
        return (forward(self.x[samples]).squeeze(1) - self.y[samples]).pow(2).mean()

    def optimizer(self, config, groups):
        if config.get("optimizer") == "adam":
            return self.torch.optim.Adam(groups)
        return self.torch.optim.SGD(groups, momentum=config["momentum"])

    def weights(self):
        return [parameter.detach().flatten().tolist() for parameter in self.model.parameters()]


class Loader:
    """The interface that AdaptDL needs of the loader at work: how large a step is, and whether this is its last micro-batch."""
    training, batch_size, max_batch_size = True, INITIAL, 1 << 20
    current_local_bsz = INITIAL
    is_last = False

    def __init__(self, replicas):
        self.replicas = replicas

    def accumulate(self, accumulation):
        self.current_batch_size = INITIAL * self.replicas * (accumulation + 1)

    def is_optim_step(self):
        return self.is_last

    def train(self):
        pass


def play_adaptdl(config):
    import adaptdl.torch
    from adaptdl.torch import _metrics, gradient_noise_scale, parallel, scaling_rules
    adaptdl.torch.init_process_group("gloo")
    replicas, schedule = config["replicas"], config["schedule"]
    loader = Loader(replicas)
    parallel.current_dataloader = lambda: loader
    training = Training(replicas, int(os.environ["ADAPTDL_REPLICA_RANK"]))
    parts = [training.model] if config["groups"] == 1 else [training.model[0], training.model[2]]
    optimizer = training.optimizer(config, [{"params": list(part.parameters()), "lr": lr}
                                            for part, lr in zip(parts, config["lrs"])])
    rule = getattr(scaling_rules, config["rule"])() if config.get("rule") else None
    model = adaptdl.torch.AdaptiveDataParallel(training.model, optimizer, scaling_rule=rule)
    gns = model.gns

    def norms(gradients):
        return gradient_noise_scale._normsqr_groups(gradients, gns._get_preconditioner()).tolist()

    steps = []
    for number in range(STEPS):
        accumulation = schedule[number * len(schedule) // STEPS][1]
        loader.accumulate(accumulation)
        previous, micro_batches = gns._prev_grads, []
        for micro in range(accumulation + 1):
            loader.is_last = micro == accumulation
            samples = training.samples()
            micro_batches.append({"samples": samples})
            _metrics.profile_step_start(INITIAL)
            optimizer.zero_grad()
            training.loss(model, samples).backward()
            if not loader.is_last:
                optimizer.step()
        gradients = [[p.grad.clone() for p in group["params"]] for group in optimizer.param_groups]
        scale, count = gns.accum_scale * gns.accum_count, gns.accum_count
        step = {"step": number, "atomic_bsz": INITIAL, "accum_scale": gns.accum_scale, "accum_count": count,
                "num_replicas": replicas, "scale": scale, "local_sqr_sum": gns._local_sqr.tolist(),
                "avg_grad_sqr": norms(gradients), "prev_grad_sqr": None, "mean_of_two_grads_sqr": None, "update": None}
        samples_of_noise, total = replicas * count, step["avg_grad_sqr"]
        local = [sqr / samples_of_noise for sqr in step["local_sqr_sum"]]
        if samples_of_noise == 1 and previous is not None:
            step["prev_grad_sqr"] = norms(previous)
            step["mean_of_two_grads_sqr"] = norms(gradient_noise_scale._average_groups(gradients, previous))
            local = [(a + b) / 2 for a, b in zip(step["prev_grad_sqr"], total)]
            samples_of_noise, total, scale = 2, step["mean_of_two_grads_sqr"], 2 * scale
        if samples_of_noise > 1:
            step["update"] = {
                "grad_sqr": [(samples_of_noise * t - l) / (samples_of_noise - 1) for t, l in zip(total, local)],
                "grad_var": [(l - t) * scale / (samples_of_noise - 1) for t, l in zip(total, local)],
                "theta": gns._smoothing ** scale}
        step |= {"raw_sqr_avg": gns.raw_sqr_avg.tolist(), "raw_var_avg": gns.raw_var_avg.tolist(),
                 "sqr_avg": gns.sqr_avg(), "var_avg": gns.var_avg(), "gain": gns.gain(step["scale"]),
                 "biased_flag": gns._state["biased"],
                 "lr_factor": model.scaling_rule.scale_lr(step["scale"]).tolist()}
        optimizer.step()
        step |= {"progress_after": gns.get_progress(), "micro_by_rank": micro_batches}
        steps.append(step)
    return {"final_weights": training.weights(), "steps": steps}


def play_fairscale(config, adascale_py):
    import torch
    replicas, accumulation, rank = config["replicas"], config["accum"], int(os.environ["ADAPTDL_REPLICA_RANK"])
    training = Training(replicas, rank)
    model = training.model
    if replicas > 1:
        torch.distributed.init_process_group("gloo", f"tcp://127.0.0.1:{os.environ['ADAPTDL_MASTER_PORT']}", rank=rank,
                                             world_size=replicas)
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = training.optimizer(config, [{"params": list(training.model.parameters()), "lr": config["lr"]}])
    adascale = module(pathlib.Path(adascale_py)).AdaScale(
        optimizer, num_gradients_to_accumulate=accumulation, is_scaled_loss=config["is_scaled_loss"],
        debias_ewma=config["debias_ewma"], smoothing=config["smoothing"])
    steps, progress = [], 0.0
    for number in range(STEPS):
        adascale.zero_grad()
        micro_batches = []
        for micro in range(accumulation):
            samples = training.samples()
            own = torch.autograd.grad(training.loss(training.model, samples), list(training.model.parameters()))
            if replicas > 1:
                model.require_backward_grad_sync = micro + 1 == accumulation
            loss = training.loss(model, samples)
            (loss / accumulation if config["is_scaled_loss"] else loss).backward()
            divisor = accumulation ** 2 if config["is_scaled_loss"] else 1
            micro_batches.append({"samples": samples,
                                  "grad_sqr": sum(g.pow(2).sum().item() for g in own) / divisor})
        gain = adascale.gain()
        progress += gain
        total = sum(p.grad.pow(2).sum().item() for p in training.model.parameters())
        adascale.step()
        steps.append({"step": number, "grad_sqr_of_param_grad": total, "grad_sqr_avg": adascale._grad_sqr_avg(),
                      "grad_var_avg": adascale._grad_var_avg(), "gain": gain,
                      "lr_effective": config["lr"] * adascale.gain(0), "effective_steps": progress,
                      "micro_by_rank": micro_batches})
    return {"smoothing": adascale.smoothing, "scale": adascale.scale, "final_weights": training.weights(), "steps": steps}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def trajectory(config, *arguments):
    """Returns the trajectories of all replicas, each a process."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        replicas = []
        for rank in range(config["replicas"]):
            environment = dict(os.environ, ADAPTDL_MASTER_ADDR="127.0.0.1", ADAPTDL_MASTER_PORT=port,
                               ADAPTDL_REPLICA_RANK=str(rank), ADAPTDL_NUM_REPLICAS=str(config["replicas"]),
                               ADAPTDL_NUM_NODES="1", OMP_NUM_THREADS="1")
            told = open(pathlib.Path(folder) / str(rank), "w+")
            command = [sys.executable, __file__, "--replica", json.dumps(config), *map(str, arguments)]
            replicas.append((subprocess.Popen(command, env=environment, stdout=told), told))
        said = []
        for process, told in replicas:
            if process.wait() != 0:
                sys.exit(f"make_further.py: {config['name']}: a replica failed")
            told.seek(0)
            said.append(json.loads(told.read()))
    first = said[0]
    for number, step in enumerate(first["steps"]):
        step["micro_by_rank"] = [one["steps"][number]["micro_by_rank"] for one in said]
    return {"config": config, **first}


def write(name, meta, trajectories):
    recorded = json.loads((HERE / "gns.json").read_text())
    whole = {"meta": meta | {"made_by": "make_further.py"}, **{key: recorded[key] for key in ("x", "y", "weights")},
             "smoothing": recorded["smoothing"], "trajectories": trajectories}
    (HERE / name).write_text(json.dumps(whole) + "\n")


def main():
    if sys.argv[1] == "--replica":
        config = json.loads(sys.argv[2])
        print(json.dumps(play_adaptdl(config) if "schedule" in config else play_fairscale(config, sys.argv[3])))
        return
    adascale_py = pathlib.Path(sys.argv[1]).resolve()
    import torch
    further = []
    for name, replicas, accumulation, more in ADAPTDL:
        schedule = [[INITIAL, times] for times in (accumulation if isinstance(accumulation, list) else [accumulation])]
        config = {"name": name, "replicas": replicas, "schedule": schedule, "momentum": 0.9, "steps": STEPS,
                  "init_batch_size": INITIAL, "lrs": [0.05], **more}
        further.append(trajectory(config | {"groups": len(config["lrs"])}))
    write("gns_further.json", {"torch": torch.__version__, "adaptdl": "542e123"}, further)
    further = []
    for name, replicas, accumulation, more in FAIRSCALE:
        config = {"name": name, "replicas": replicas, "accum": accumulation, "lr": 0.05, "momentum": 0.9, "steps": STEPS,
                  "is_scaled_loss": True, "debias_ewma": True, "smoothing": None, "atomic_bsz": INITIAL, **more}
        further.append(trajectory(config, adascale_py))
    write("fairscale_adascale_further.json", {"torch": torch.__version__, "fairscale": "0.4.13"}, further)


if __name__ == "__main__":
    main()
