#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`batchscope noise` measures at a checkpoint what theory knows of it: of a linear regression the gain, and so the noise scale, can
be computed from all of its samples, which the example does. The run stays as it is.

  noise.py BIN
"""
import sys
import tempfile

from run_scenario import Failure, Scenario

SCALE = 4  # of the run, for whose steps the example records the gain that theory predicts
BATCH, STEP = 16, 300


def known_noise_scale(gain):
    """Solves gain = (B / batch + 1) / (B / batch / SCALE + 1) for B."""
    return BATCH * (gain - 1) / (1 - gain / SCALE)


def require(holds, what):
    if not holds:
        raise Failure(what)


def main(programs):
    with tempfile.TemporaryDirectory(prefix="scenario-") as home:
        scenario = Scenario(programs, home)
        scenario.environment["BATCHSCOPE_CHECKPOINT_INTERVAL"] = "0"  # on a slow machine others would take its place
        try:
            scenario.do(f"batchscope run --headless linear_regression --replicas 1 --at step={STEP}:checkpoint -- "
                        f"--epochs 8 --micro-batches {SCALE}")
            before = scenario.show()
            checkpoint = next(one["name"] for one in before["checkpoints"] if one["step"] == STEP)
            scenario.do("batchscope tail latest predicted_gain --once --lines 100000")
            gains = {int(line.split()[0]): float(line.split()[-1]) for line in scenario.said.splitlines()
                     if line.split() and line.split()[0].isdigit()}
            known = known_noise_scale(gains[STEP + 1])

            measured = scenario.ask("noise", "latest", "--checkpoint", checkpoint, "--micro-batches", "500")
            print(f"known {known:.1f}, measured {measured}")
            require(measured["step"] == STEP and measured["estimates"] == 50, f"another step, or number: {measured}")
            require(abs(measured["noise_scale"] - known) < 4 * measured["standard_error"], "that is not the noise scale")
            require(measured["standard_error"] < 0.15 * known, "the error is too large to tell")
            after = scenario.show()
            require(after["checkpoints"] == before["checkpoints"] and after["run"]["step"] == before["run"]["step"]
                    and len(scenario.ask("ls")["runs"]) == 1, "the run is not as it was")

            scenario.do(f"batchscope noise latest --checkpoint {checkpoint}")
            scenario.says(f"{checkpoint}, after step {STEP}")
            scenario.says("20 estimates of 10 gradients, of 16 samples each")
            scenario.says("recorded")
            scenario.fails("1 batchscope noise latest")
            scenario.says("ended with exit code 0 and measured nothing")
            scenario.fails("3 batchscope noise latest --checkpoint 99")

            scenario.do("batchscope run --headless linear_regression --at step=2:checkpoint -- --epochs 3 --samples 24 --no-autoscale")
            scenario.fails("1 batchscope noise latest --checkpoint 0")
            scenario.says("24 samples, are fewer than two batches of 16")
        except Failure as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            return 1
        finally:
            scenario.clean_up()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
