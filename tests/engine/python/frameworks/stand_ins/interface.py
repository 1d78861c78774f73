# SPDX-License-Identifier: Apache-2.0
"""Holds a subclass to the interface that a framework documents: hooks by their names, with parameters that its calls fit."""
import inspect


def require(cls, hooks):
    """hooks: name -> an example of a call's arguments, as (positional, named). Raises TypeError for a hook of another name, which the
    framework would never call, or that does not take the call."""
    for name, method in vars(cls).items():
        if not name.startswith("on_"):
            continue
        if name not in hooks:
            raise TypeError(f"{cls.__name__}.{name} is not a hook of the framework")
        positional, named = hooks[name]
        inspect.signature(method).bind(cls, *positional, **named)
