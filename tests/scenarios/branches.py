#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`batchscope branch` trains on from a checkpoint at several batch sizes, by the queue, and says up to which one training loses
nothing. Early in training 16 large steps fall behind by far, which no luck undoes; with a tolerance of 100 % nothing does.

  branches.py BIN
"""
import sys
import tempfile

from run_scenario import Failure, Scenario

STEP, BATCH = 20, 16


def require(holds, what):
    if not holds:
        raise Failure(what)


def start(scenario, name, step, words):
    """Trains digits, and returns the name of the checkpoint after a step. No other is written but the last."""
    scenario.do(f"batchscope run --headless digits --name {name} --replicas 1 --checkpoint-every 0 --at step={step}:checkpoint -- "
                f"--epochs 1 --no-autoscale --batch-size {BATCH} {words}")
    return next(one["name"] for one in scenario.show(name)["checkpoints"] if one["step"] == step)


def check_sizes(scenario, checkpoint):
    """Each branch has its batch size and as many samples, and the factor of the learning rate follows the size."""
    found = scenario.ask("branch", "digits", "--checkpoint", checkpoint, "--batch-sizes", "8..32", "--samples", "530", "--tolerance", "1")
    branching = found["branching"]
    require(branching["step"] == STEP and branching["samples"] == 544 and branching["over"], f"another branching: {branching}")
    branches = branching["branches"]
    require([one["batch_size"] for one in branches] == [8, 16, 32], f"other sizes: {branches}")
    require(all(one["fault"] is None and one["state"] == "finished" for one in branches), f"a branch failed: {branches}")
    factors = [one["lr_factor"] for one in branches]
    require(factors[0] < 1 == factors[1] < factors[2] <= 2, f"other learning rates: {factors}")
    require(branching["answer"].startswith("at least 32") and branching["critical_batch_size"] is None, f"another answer: {branching}")
    require(branching["batch_size"] == BATCH and branching["noise_scale"] > 0, f"nothing of the run: {branching}")
    for one in branches:
        run = scenario.show(one["run"])
        require(run["run"]["latest"]["batch_size"] == one["batch_size"], f"another batch size: {run['run']['latest']}")
        require(run["run"]["latest"]["samples"] == BATCH * STEP + 544, f"other samples: {run['run']['latest']}")
        require(any(f"at batch size {one['batch_size']}" in event["text"] for event in run["events"]), "it does not say what it is")


def check_answer(scenario, checkpoint):
    """The answer is a series of the run, at the checkpoint's step, and is found again."""
    before = scenario.show("digits")
    # A longer schedule, so that the learning rate does not end before the branches do.
    scenario.do(f"batchscope branch digits --checkpoint {checkpoint} --batch-sizes 8,16,128 --samples 2048 --tolerance 0.9 -- "
                f"--epochs 20 --no-autoscale --batch-size {BATCH} --train-images 1024")
    scenario.says("Critical batch size: 16; at 128 the loss is above the tolerance")
    scenario.do("batchscope plot digits critical_batch_size noise_scale --x progress")
    scenario.says("critical_batch_size")
    charts = {chart["name"]: chart for chart in scenario.ask("plot", "digits", "--list")["charts"]}
    require(charts["noise"]["lines"][-1]["series"] == "critical_batch_size", f"another chart: {charts['noise']}")
    shown = scenario.ask("branch", "digits", "--show")["branchings"]
    require([one["critical_batch_size"] for one in shown] == [None, 16], f"other branchings: {shown}")
    after = scenario.show("digits")
    require(after["run"]["step"] == before["run"]["step"] and after["checkpoints"] == before["checkpoints"], "the run is not as it was")


def check_refusals(scenario):
    scenario.fails("2 batchscope branch digits")
    scenario.says("needs --batch-sizes")
    scenario.fails("2 batchscope branch digits --batch-sizes 8..32 --samples 100")
    scenario.says("--samples 512 are the fewest")
    scenario.fails("2 batchscope branch digits --batch-sizes 32..8 --samples 1000")
    scenario.fails("3 batchscope branch digits --batch-sizes 8..32 --samples 1000 --checkpoint 99")
    # At the newest checkpoint training is over; 256 samples have no step of 512, and one size alone is not compared.
    scenario.fails("1 batchscope branch digits --batch-sizes 8,16 --samples 256")
    scenario.says("training is over at checkpoint-")
    early = start(scenario, "small", 2, "--train-images 256")
    scenario.fails(f"1 batchscope branch small --checkpoint {early} --batch-sizes 128,512 --samples 8192")
    scenario.says("the data have 256 samples")
    # Nothing would keep the batch size of a program that draws its own batches.
    scenario.do("batchscope run --headless plain_adascale --name plain --replicas 1 -- --iterations 20 --save-every 10")
    scenario.fails("4 batchscope branch plain --batch-sizes 8,16 --samples 256")
    scenario.says("holds no AdaptiveDataLoader")


def main(programs):
    with tempfile.TemporaryDirectory(prefix="scenario-") as home:
        scenario = Scenario(programs, home)
        try:
            checkpoint = start(scenario, "digits", STEP, "--train-images 1024")
            check_sizes(scenario, checkpoint)
            check_answer(scenario, checkpoint)
            check_refusals(scenario)
        except Failure as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            return 1
        finally:
            scenario.clean_up()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
