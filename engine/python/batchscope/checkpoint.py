# SPDX-License-Identifier: Apache-2.0
"""Saves and loads state that survives a restart."""
import io

from ._native import engine


class State:
    """The base class of your own state that survives restarts: derive from it and write save and load.

    Each state has its own file in a checkpoint, by its name. save writes plain bytes. If it writes a pickle, load trusts
    everybody who can write into the checkpoint's folder.
    """

    def __init__(self, name):
        """Raises ValueError if there is a state of this name already."""
        if not isinstance(name, str):
            raise TypeError(f"checkpoint.State: the name {name!r:.60} is not a text")
        self._state, self._name = engine.State(name, self), name

    def sync(self):
        """Gathers what only other replicas know. Called on every replica before save. Collective."""

    def save(self, fileobj):
        """Writes the state into the binary file. Called only on replica 0."""

    def load(self, fileobj):
        """Reads what save wrote. Called on every replica."""

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
    """Loads the state from the checkpoint that this generation starts from. Returns False if the checkpoint does not have it. The first
    call is collective."""
    if not hasattr(state, "_state"):
        raise TypeError(f"load_state(): {type(state).__name__} is not a checkpoint.State, or its __init__ does not call State's")
    return engine.load_state(state._state)


def save_all_states(reason="manual"):
    """Saves every state as one checkpoint. Collective. Call it between loops over data."""
    engine.save_all_states(reason)
