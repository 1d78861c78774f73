# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Accelerate, as far as trackers go."""
from .tracking import GeneralTracker


class Accelerator:
    def __init__(self, log_with):
        self.trackers = [log_with]

    def init_trackers(self, project_name, config=None, init_kwargs={}):
        for tracker in self.trackers:
            tracker.start()
            if config is not None:
                tracker.store_init_configuration(config)

    def log(self, values, step=None, log_kwargs={}):
        for tracker in self.trackers:
            tracker.log(values, step=step, **log_kwargs.get(tracker.name, {}))

    def get_tracker(self, name, unwrap=False):
        return next(tracker.tracker if unwrap else tracker for tracker in self.trackers if tracker.name == name)

    def end_training(self):
        for tracker in self.trackers:
            tracker.finish()
