# SPDX-License-Identifier: Apache-2.0
"""State that survives a restart."""
import io

from ._native import engine


class State:
    """Something of one's own that survives restarts: derive from it and write save and load.

    Each state has a file of its own in a checkpoint, by its name. What save writes is plain bytes; who writes a pickle
    there trusts whoever can write into the checkpoint's folder.
    """

    def __init__(self, name):
        """Raises ValueError where there is a state of this name."""
        if not isinstance(name, str):
            raise TypeError(f"checkpoint.State: the name {name!r:.60} is not a text")
        self._state, self._name = engine.State(name, self), name

    def sync(self):
        """Called on every replica before save: gathers what only others know. Collective."""

    def save(self, fileobj):
        """Writes the state into the binary file. On replica 0 alone."""

    def load(self, fileobj):
        """Reads what save wrote. On every replica."""

    def _save(self):
        file = io.BytesIO()
        try:
            self.save(file)
        except Exception as error:
            raise RuntimeError(f"save() of the state '{self._name}': {type(error).__name__}: {error}") from error
        return file.getvalue()

    def _load(self, data):
        self.load(io.BytesIO(data))


def load_state(state):
    """Loads it from the checkpoint that this generation starts from. False where that holds none. Collective at first."""
    if not hasattr(state, "_state"):
        raise TypeError(f"load_state(): {type(state).__name__} is not a checkpoint.State, or its __init__ does not call State's")
    return engine.load_state(state._state)


def save_all_states(reason="manual"):
    """Saves every state as one checkpoint. Collective; between loops over data."""
    engine.save_all_states(reason)
