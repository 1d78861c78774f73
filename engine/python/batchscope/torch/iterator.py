# SPDX-License-Identifier: Apache-2.0
"""Provides batches of a text for back-propagation through time."""
import typing

import torch

from .._native import engine
from .._recorder import whole
from .loader import AdaptiveLoader, Loop


class TextBatch(typing.NamedTuple):
    """One micro-batch of one replica, of n columns of the text: `for text, target, *_ in iterator`."""

    text: torch.Tensor  # tokens, [bptt_len, n], with batch_first [n, bptt_len]
    target: torch.Tensor  # the token after each; -100, which cross_entropy ignores, after the text's end
    continues: torch.Tensor  # bool [n]: this column continues the same column of the batch before
    batch_size: int  # n, or 0 if the only column is padding that keeps replicas aligned


class AdaptiveBPTTIterator(AdaptiveLoader):
    """A text in columns. Each batch has the next bptt_len tokens of each column, so that a recurrent network may carry its
    hidden state from batch to batch:

        for batch in iterator:
            n = batch.continues.size(0)  # fewer only at the end of a pass
            hidden = hidden[:, :n].detach() * batch.continues.view(1, n, 1) if hidden is not None else zeros(n)
            output, hidden = model(batch.text, hidden)

    Each replica has its own columns. bptt_len tokens of a column are one sample, and batch_size counts samples of all
    replicas. Otherwise it behaves as AdaptiveDataLoader. Every token but the first is a target exactly once in a pass,
    also with restarts: if the number of columns changes in the middle, the rest of the text is cut into columns again.
    """

    def __init__(self, dataset, batch_size, bptt_len, *, device=None, batch_first=None, drop_last=False, training=None,
                 max_batch_size=None, local_bsz_bounds=None, train=True, repeat=False):
        """dataset: token numbers in one dimension; or torchtext's Dataset with one example: the field `text` turns its text into
        numbers and gives batch_first. device: the device of the batches. drop_last leaves out a short last row of columns.
        max_batch_size, local_bsz_bounds: see autoscale_batch_size. train: False is training=False. Raises ValueError for repeat:
        use remaining_epochs_until for epochs."""
        if repeat:
            raise ValueError("AdaptiveBPTTIterator: 'repeat' is not supported; loop in remaining_epochs_until instead")
        super().__init__(batch_size, drop_last, training if train else False)
        fields = getattr(dataset, "fields", None)
        if fields is not None:
            batch_first = fields["text"].batch_first if batch_first is None else batch_first
            dataset = fields["text"].numericalize([dataset[0].text], device=device).flatten()
        self._tokens = torch.as_tensor(dataset, device=device)
        self.bptt_len, self.batch_first = whole("bptt_len", bptt_len), bool(batch_first)
        if max_batch_size:
            self.autoscale_batch_size(max_batch_size, local_bsz_bounds)

    def _make(self, training, name):
        return engine.BPTTIterator(self._tokens, self.batch_size, self.bptt_len, self.batch_first, self.drop_last, training,
                                   name)

    def _size(self):
        return -(-(len(self._tokens) - 1) // self.bptt_len)

    def __iter__(self):
        """Returns one loop over the text, as AdaptiveDataLoader does over its data."""
        return _TextLoop(self)


class _TextLoop(Loop):
    def _batch(self):
        return TextBatch(*self._at.batch)
