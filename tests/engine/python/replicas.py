# SPDX-License-Identifier: Apache-2.0
"""Programs of several processes, as a supervisor would start them."""
import atexit
import functools
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = pathlib.Path(os.environ.get("BATCHSCOPE_GOLDEN_DIR", HERE.parents[1] / "golden"))


PATIENCE = 120  # s, of a program


class Warm:
    """Starts scripts from one process that has loaded PyTorch (warm.py)."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(HERE / "warm.py")], env=dict(os.environ, OPENBLAS_NUM_THREADS="1"),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        atexit.register(self.end)

    def run(self, replicas):
        """Returns the exit codes."""
        print(json.dumps(replicas), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            raise AssertionError(f"{replicas[0]['program']} has not ended after {PATIENCE} s")
        return json.loads(self.process.stdout.readline())

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@functools.cache
def warm():
    return Warm()


def executed(replicas):
    """Returns the exit codes of programs that are no scripts."""
    started = []
    for each in replicas:
        with open(each["output"], "w") as output, open(each["errors"], "w") as errors:
            started.append(subprocess.Popen([each["program"], *each["arguments"]], env=each["environment"], stdout=output, stderr=errors))
    return [process.wait(PATIENCE) for process in started]


def train(program, *arguments, replicas=1, place=None, restarts=0):
    """Returns the output of each replica of the program, by rank: a script beside this file, or what can be executed."""
    with tempfile.TemporaryDirectory() as own:
        folder = pathlib.Path(place or own)
        asked = []
        for rank in range(replicas):
            environment = dict(os.environ, ADAPTDL_NUM_REPLICAS=str(replicas), ADAPTDL_REPLICA_RANK=str(rank),
                               ADAPTDL_NUM_RESTARTS=str(restarts), ADAPTDL_CHECKPOINT_PATH=str(folder / "checkpoints"),
                               BATCHSCOPE_RENDEZVOUS_DIR=str(folder), BATCHSCOPE_THREADS="1", OPENBLAS_NUM_THREADS="1")
            asked.append({"program": str(HERE / program), "arguments": [str(each) for each in arguments], "environment": environment,
                          "output": f"{own}/output.{rank}", "errors": f"{own}/errors.{rank}"})
        codes = warm().run(asked) if program.endswith(".py") else executed(asked)
        for each, code in zip(asked, codes, strict=True):
            if code not in (0, 143):
                raise AssertionError(f"{program} ended with {code}:\n{pathlib.Path(each['errors']).read_text()}")
        return [pathlib.Path(each["output"]).read_text() for each in asked]
