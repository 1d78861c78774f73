# SPDX-License-Identifier: Apache-2.0
"""GeneralTracker, as Accelerate documents it."""
import functools
import inspect


def on_main_process(function):
    @functools.wraps(function)
    def call(self, *arguments, **named):
        if GeneralTracker.is_main_process or not self.main_process_only:
            return function(self, *arguments, **named)
        return None
    return call


class GeneralTracker:
    main_process_only = True
    is_main_process = True

    def __init__(self, _blank=False):
        missing = [name for name in ("name", "requires_logging_directory", "tracker") if not hasattr(type(self), name)]
        if missing or not isinstance(type(self).tracker, property):
            raise NotImplementedError(f"a tracker needs {missing or 'tracker as a property'}")
        inspect.signature(self.store_init_configuration).bind({})
        inspect.signature(self.log).bind({}, step=None)
        inspect.signature(self.finish).bind()

    def start(self):
        pass

    def finish(self):
        pass
