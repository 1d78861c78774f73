#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comparison with Optuna: TPE on four functions, where the median regret over 40 seeds, after 64 trials, may be at most 1.1
times Optuna's, and successive halving where both mean the same. Functions are written here, and spaces that say the same are
given to both sides. Run: test_optuna.py ASK_AND_TELL"""
import concurrent.futures
import json
import math
import random
import statistics
import subprocess
import sys
import unittest

try:
    import optuna
except ImportError:
    print("optuna is not installed (Debian: python3-optuna), which these tests compare with")
    sys.exit(77)

TRIALS, SEEDS, MOST = 64, 40, 1.1


def real(name, low, high, log=False, **more):
    return {"name": name, "kind": "real", "min": low, "max": high, "log": log, **more}


def integer(name, low, high, log=False, **more):
    return {"name": name, "kind": "integer", "min": low, "max": high, "log": log, **more}


def branin(x, y):
    """Dixon and Szegő, 1978; its least value is 0.397887."""
    return (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def hartmann6(**x):
    """Hartmann's in six dimensions; its least value is -3.32237."""
    alpha = (1.0, 1.2, 3.0, 3.2)
    a = ((10, 3, 17, 3.5, 1.7, 8), (0.05, 10, 17, 0.1, 8, 14), (3, 3.5, 1.7, 10, 17, 8), (17, 8, 0.05, 10, 0.1, 14))
    p = ((1312, 1696, 5569, 124, 8283, 5886), (2329, 4135, 8307, 3736, 1004, 9991),
         (2348, 1451, 3522, 2883, 3047, 6650), (4047, 8828, 8732, 5743, 1091, 381))
    values = [x[f"x{i}"] for i in range(6)]
    return -sum(weight * math.exp(-sum(s * (v - 1e-4 * c) ** 2 for s, v, c in zip(row, values, centre)))
                for weight, row, centre in zip(alpha, a, p))


def conditional(optimizer, lr, layers, momentum=None, beta=None):
    """A valley in the learning rate whose place is another one for each optimizer; its least value, sgd's, is 0."""
    if optimizer == "sgd":
        return (math.log10(lr) + 1) ** 2 + 4 * (momentum - 0.9) ** 2 + 0.2 * abs(layers - 4)
    if optimizer == "adam":
        return 1 + (math.log10(lr) + 3) ** 2 + 4 * (beta - 0.99) ** 2 + 0.2 * abs(layers - 3)
    return 2 + (math.log10(lr) + 2) ** 2 + 0.2 * abs(layers - 2)


def scales(lr, decay, batch):
    """The cost over what one tunes first: orders of magnitude, the learning rate's tied to the batch size's; its least
    value is 0."""
    return (math.log10(lr) + 2 - 0.5 * math.log10(batch / 64)) ** 2 + 0.3 * (math.log10(decay) + 4) ** 2 + (
        0.2 * math.log2(batch / 64) ** 2)


FUNCTIONS = {
    "branin": (branin, 0.397887, [real("x", -5, 10), real("y", 0, 15)]),
    "hartmann6": (hartmann6, -3.32237, [real(f"x{i}", 0, 1) for i in range(6)]),
    "conditional": (conditional, 0, [
        {"name": "optimizer", "kind": "choice", "choices": ["sgd", "adam", "rmsprop"]},
        real("lr", 1e-5, 10, log=True),
        integer("layers", 1, 8),
        real("momentum", 0, 1, when={"parameter": "optimizer", "values": ["sgd"]}),
        real("beta", 0.8, 1, when={"parameter": "optimizer", "values": ["adam"]})]),
    "scales": (scales, 0, [real("lr", 1e-6, 10, log=True), real("decay", 1e-8, 1, log=True),
                           integer("batch", 1, 4096, log=True)]),
}


def ours(program, name, seed):
    function, least, parameters = FUNCTIONS[name]
    kinds = {each["name"]: {"real": float, "integer": int, "choice": str}[each["kind"]] for each in parameters}
    costs = []
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        print(json.dumps({"method": "tpe", "seed": seed, "parameters": parameters}), file=process.stdin, flush=True)
        for _ in range(TRIALS):
            point = json.loads(process.stdout.readline())
            costs.append(function(**{key: kinds[key](text) for key, text in point.items()}))
            print(costs[-1], file=process.stdin, flush=True)
        process.stdin.close()
    return min(costs) - least


def optunas(name, seed):
    function, least, parameters = FUNCTIONS[name]

    def objective(trial):
        values = {}
        for each in parameters:
            when = each.get("when")
            if when and values.get(when["parameter"]) not in when["values"]:
                continue
            if each["kind"] == "choice":
                values[each["name"]] = trial.suggest_categorical(each["name"], each["choices"])
            else:
                suggest = trial.suggest_float if each["kind"] == "real" else trial.suggest_int
                values[each["name"]] = suggest(each["name"], each["min"], each["max"], log=each["log"])
        return function(**values)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=TRIALS)
    return study.best_value - least


class Optuna(unittest.TestCase):
    def test_tpe_regrets_no_more(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            for name in FUNCTIONS:
                theirs = pool.map(optunas, [name] * SEEDS, range(SEEDS))
                mine = [ours(PROGRAM, name, seed) for seed in range(SEEDS)]
                regret, reference = statistics.median(mine), statistics.median(theirs)
                print(f"{name}: {regret:.4g}, Optuna's {reference:.4g}, ratio {regret / reference:.2f}", flush=True)
                with self.subTest(name):
                    self.assertLessEqual(regret, MOST * reference)

    def test_halving_says_the_same(self):
        """Trials one after the other, each as far as Optuna lets it go. A rung to which fewer than eta came is left out:
        there Optuna lets the best one go on, and the paper nobody."""
        for eta in 2, 3, 4:
            chance, agreed = random.Random(eta), 0
            study = optuna.create_study(pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=eta))
            came = [0] * 5
            with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
                print(json.dumps({"stop": "asha", "min": 1, "eta": eta}), file=process.stdin, flush=True)
                for number in range(120):
                    trial = study.ask()
                    for rung in range(len(came)):
                        cost = chance.random()
                        trial.report(cost, eta**rung)
                        pruned = trial.should_prune()
                        print(number, rung, cost, file=process.stdin, flush=True)
                        verdict = process.stdout.readline().strip()
                        came[rung] += 1
                        if came[rung] >= eta:
                            self.assertEqual(verdict, "pause" if pruned else "go on")
                            agreed += 1
                        if pruned:
                            break
                    study.tell(trial, state=optuna.trial.TrialState.PRUNED)
                process.stdin.close()
            self.assertGreater(agreed, 100)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
