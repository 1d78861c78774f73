# SPDX-License-Identifier: Apache-2.0
"""Acts on a module when a script has imported it, and never imports it for the script."""

import importlib.abc
import sys
import traceback


class _Watcher(importlib.abc.MetaPathFinder):
    """Finds no module itself: asks the finders after it, and acts on the modules that they find."""

    def __init__(self):
        self.actions = {}

    def find_spec(self, name, path, target=None):
        if name not in self.actions:
            return None
        finders = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next((spec for finder in finders if (spec := finder.find_spec(name, path, target))), None)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def execute_and_act(module):
                execute(module)
                _act(self.actions.pop(name, None), module)

            spec.loader.exec_module = execute_and_act
        return spec


def _act(action, module):
    try:
        if action:
            action(module)
    except Exception:  # a watcher must not break the script
        print(f"batchscope: {module.__name__} is not as expected, and is not watched:", file=sys.stderr)
        traceback.print_exc()


watcher = _Watcher()


def when_imported(name, action):
    """Calls action(module), now or as soon as the module has been imported."""
    module = sys.modules.get(name)
    if module and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        return _act(action, module)
    watcher.actions[name] = action
    if watcher not in sys.meta_path:
        sys.meta_path.insert(0, watcher)
