# SPDX-License-Identifier: Apache-2.0
"""Python imports this at its start where the supervisor of a run has put this folder into PYTHONPATH. A script on AdaptDL then
reports its steps by itself, and any interpreter finds the package `batchscope`, behind all that it has of its own. The machine's
own sitecustomize, whose place this one takes, is run as ever. Nothing else is imported before AdaptDL is.
BATCHSCOPE_PYTHON_HOOK=off in the run's environment keeps the supervisor from all of it."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


class _Doorman:
    """Waits among the finders of modules until somebody wants AdaptDL's."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "adaptdl.torch":
            return None
        sys.meta_path.remove(cls)
        try:
            from batchscope import _adaptdl
            return _adaptdl.find_spec(name, path, target)
        except Exception as error:  # what watches a script must not break it
            print(f"batchscope: AdaptDL's steps are not reported: {error!r}", file=sys.stderr)
            return None


def _run_the_machines_own():
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
sys.path.append(os.path.dirname(_HERE))
sys.meta_path.insert(0, _Doorman)
_run_the_machines_own()
