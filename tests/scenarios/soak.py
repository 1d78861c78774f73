# SPDX-License-Identifier: Apache-2.0
"""What random tests have in common: one seed after the other, each in a store of its own, until the time is over."""

import argparse
import sqlite3
import subprocess
import sys
import tempfile
import time

from run_scenario import Failure, Scenario


def over_seeds(description, seed_help, minutes_help, one):
    """The main of a program that calls one(programs, seed): once, or with seed after seed for so long."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("programs")
    parser.add_argument("--seed", type=int, default=1, help=seed_help)
    parser.add_argument("--minutes", type=float, default=0, help=minutes_help)
    options = parser.parse_args()
    seed, end = options.seed, time.monotonic() + 60 * options.minutes
    while seed == options.seed or time.monotonic() < end:
        one(options.programs, seed)
        seed += 1


def at_a_queue(name, act):
    """Returns a one(programs, seed) that calls act(scenario, seed). Where it fails, the queue and its pool's words are told."""

    def one(programs, seed):
        print(f"seed {seed}", flush=True)
        with tempfile.TemporaryDirectory(prefix=name + "-") as home:
            scenario = Scenario(programs, home)
            try:
                act(scenario, seed)
            except (Failure, subprocess.TimeoutExpired, sqlite3.Error) as failure:
                tell(scenario)
                sys.exit(f"FAILED with seed {seed}: {failure}")
            finally:
                scenario.clean_up()

    return one


def tell(scenario):
    for job in scenario.jobs().values():
        print(job)
    for decision in scenario.ask("pool", "--decisions", "40")["decisions"]:
        print(decision["id"], f"{decision['time']:.1f}", decision["cause"],
              [(choice["run"], choice["before"], choice["devices"], choice["reason"]) for choice in decision["choices"]])
    log = scenario.home / "pool.log"
    print(log.read_text()[-3000:] if log.exists() else "the pool said nothing")
