# SPDX-License-Identifier: Apache-2.0
"""Programs of several processes, as a supervisor would start them."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = pathlib.Path(os.environ.get("BATCHSCOPE_GOLDEN_DIR", HERE.parents[1] / "golden"))


def train(program, *arguments, replicas=1, place=None, restarts=0):
    """Returns the output of each replica of the program, by rank: a script beside this file, or what can be executed."""
    with tempfile.TemporaryDirectory() as own:
        folder = pathlib.Path(place or own)
        started = []
        for rank in range(replicas):
            environment = dict(os.environ, ADAPTDL_NUM_REPLICAS=str(replicas), ADAPTDL_REPLICA_RANK=str(rank),
                               ADAPTDL_NUM_RESTARTS=str(restarts), ADAPTDL_CHECKPOINT_PATH=str(folder / "checkpoints"),
                               BATCHSCOPE_RENDEZVOUS_DIR=str(folder), BATCHSCOPE_THREADS="1", OPENBLAS_NUM_THREADS="1")
            interpreter = [sys.executable] if program.endswith(".py") else []
            command = [*interpreter, str(HERE / program), *map(str, arguments)]
            started.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            text=True))
        said = [process.communicate(timeout=120) for process in started]
        for process, (_, errors) in zip(started, said):
            if process.returncode not in (0, 143):
                raise AssertionError(f"{program} ended with {process.returncode}:\n{errors}")
        return [output for output, _ in said]
