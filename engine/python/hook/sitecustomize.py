# SPDX-License-Identifier: Apache-2.0
"""Python imports this module at its start if the supervisor of a run has put this folder into PYTHONPATH. Then a script on AdaptDL
reports its steps by itself, the snapshots that a script writes by torch.save are noted, and any interpreter finds the package
`batchscope`, after all packages of its own. This module replaces the machine's own sitecustomize, and runs it. It imports nothing
else before AdaptDL or PyTorch is imported. BATCHSCOPE_PYTHON_HOOK=off in the run's environment turns all of this off."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


class _Doorman:
    """Waits among the finders of modules until the script imports adaptdl.torch or torch.serialization."""

    awaited = {"adaptdl.torch": ("_adaptdl", "attach", "AdaptDL's steps are not reported"),
               "torch.serialization": ("_snapshot", "follow", "the script's snapshots are not noted")}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.awaited:
            return None
        module, action, failure = cls.awaited.pop(name)
        try:
            from batchscope import _imports
            _imports.when_imported(name, getattr(importlib.import_module(f"batchscope.{module}"), action))
            return _imports.watcher.find_spec(name, path, target)
        except Exception as error:  # a watcher must not break the script
            print(f"batchscope: {failure}: {error!r}", file=sys.stderr)
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
