# SPDX-License-Identifier: Apache-2.0
"""Reads sentences by a loader of its own, as a user would write one, or with `plain` by AdaptiveDataLoader, and prints the
samples, the loader and the loss of every step: torch_own_loader.py EPOCHS own|plain [accumulate] [stop]. stop: leaves, with a
checkpoint, in the middle of the second epoch."""
import json
import os
import signal
import sys

import batchscope.torch as adl
import torch
from torch.nn.utils.rnn import pad_sequence

SENTENCES, BATCH, STOP = 40, 8, 7


class Sentences(adl.AdaptiveDataLoaderMixin):
    def __init__(self, corpus):
        super().__init__(BATCH, size=len(corpus), shuffle=True)
        self.corpus = corpus

    def __iter__(self):
        return self._elastic.loop(lambda ids: padded([self.corpus[i] for i in ids]))


def padded(sentences):
    return [number for number, _ in sentences], pad_sequence([words for _, words in sentences], batch_first=True)


def train(epochs, kind, *how):
    adl.init_process_group("gloo")
    torch.manual_seed(0)
    corpus = [(number, torch.randn(1 + number % 5)) for number in range(SENTENCES)]
    own = kind == "own"
    loader = Sentences(corpus) if own else adl.AdaptiveDataLoader(corpus, BATCH, shuffle=True, collate_fn=padded)
    if "accumulate" in how:
        loader.scale_by_replicas(2, until_progress=False)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    wrapped = adl.AdaptiveDataParallel(model, optimizer)
    steps = 0
    for epoch in adl.remaining_epochs_until(epochs):
        for ids, sentences in loader:
            optimizer.zero_grad()
            loss = (wrapped(sentences.unsqueeze(2)) - 1).square().mean()
            loss.backward()
            optimizer.step()
            helper = adl.current_dataloader()
            print(json.dumps({"epoch": epoch, "ids": ids, "loss": loss.item(), "batch_size": loader.current_batch_size,
                              "local": loader.current_local_bsz, "accumulation_steps": loader.accumulation_steps,
                              "at": [helper.current_index, helper.end_index], "is_own": own and helper is loader._elastic}))
            steps += 1
            if "stop" in how and steps == STOP:
                os.kill(os.getpid(), signal.SIGTERM)


train(int(sys.argv[1]), *sys.argv[2:])
