# SPDX-License-Identifier: Apache-2.0
import pickle

import adaptdl.checkpoint


class Epochs(adaptdl.checkpoint.State):
    def __init__(self):
        super().__init__("epoch")
        self.finished, self.current = 0, None
        adaptdl.checkpoint.load_state(self)

    def save(self, fileobj):
        pickle.dump(self.finished, fileobj)

    def load(self, fileobj):
        self.finished = pickle.load(fileobj)


STATE = Epochs()


def remaining_epochs_until(epoch):
    while STATE.finished < epoch:
        STATE.current = STATE.finished
        try:
            yield STATE.current
        finally:
            STATE.finished, STATE.current = STATE.finished + 1, None


def current_epoch():
    return STATE.current


def finished_epochs():
    return STATE.finished
