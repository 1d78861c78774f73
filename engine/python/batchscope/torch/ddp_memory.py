# SPDX-License-Identifier: Apache-2.0
"""The memory of a monitor that adapts a loader: noise scale and step times, kept in the run's folder, so that the next generation, most
often on another number of replicas, need not learn them again. They depend on the program and its devices, not on the snapshot from
which the script continues. A script without a supervisor keeps nothing."""
import json
import os
import pathlib

_FILE = "batchscope-monitor.json"


class Memory:
    def __init__(self, is_kept):
        """is_kept: this replica, and no other, writes the memory."""
        folder = os.environ.get("ADAPTDL_SHARE_PATH")
        self._file = pathlib.Path(folder, _FILE) if folder else None
        self._is_kept = is_kept

    def recall(self, noise, loader, initial):
        """Restores noise and step times. Returns whether there were any."""
        try:
            kept = json.loads(self._file.read_text()) if self._file else {}
        except (OSError, ValueError):
            return False
        if kept.get("initial_batch_size") != initial:
            return False
        noise.restore(kept["noise"])
        loader.remember(kept["times"])
        return True

    def keep(self, noise, loader, initial):
        if self._file and self._is_kept:
            new = self._file.with_suffix(".new")
            try:
                new.write_text(json.dumps({"initial_batch_size": initial, "noise": noise.state(), "times": loader.times}))
                new.replace(self._file)
            except OSError:
                pass  # without the memory the next generation only learns again
