# SPDX-License-Identifier: Apache-2.0
"""Has PyTorch loaded, which takes two seconds, and forks the programs that it is asked for by lines on standard input: a JSON array
with one object for each replica (program, arguments, environment, output, errors). Answers with their exit codes, a signal's
negative."""
import atexit
import json
import os
import runpy
import sys
import threading
import traceback

import torch  # noqa: F401


def run(program, arguments):
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(program)
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def become(replica):
    for path, descriptor in (os.devnull, 0), (replica["output"], 1), (replica["errors"], 2):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), descriptor)
    os.environ.clear()
    os.environ.update(replica["environment"])
    code = run(replica["program"], replica["arguments"])
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # LibTorch's destructors would copy what was forked


for line in sys.stdin:
    processes = []
    for each in json.loads(line):
        processes.append(os.fork())
        if processes[-1] == 0:
            become(each)
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]), flush=True)
