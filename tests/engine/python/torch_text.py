# SPDX-License-Identifier: Apache-2.0
"""Reads a text whose tokens are the numbers from 0 on, and prints each batch, a JSON object a line: torch_text.py SETTINGS, a JSON
object with "tokens", "batch_size", "bptt_len", "epochs", and if wanted "signal": [STEP, RANK], at which SIGTERM comes;
"micro_batches": of a step, by which the batch grows with the replicas; "limit": autoscale_batch_size's, in micro-batches of one
to two; "legacy": the text is what torchtext called a Dataset."""
import json
import signal
import sys
import types

import batchscope.torch as adl
import torch


class Field:
    """A field like torchtext's: it numbers the words of a text."""

    batch_first = True

    def numericalize(self, texts, device=None):
        return torch.tensor([[int(word) for word in text] for text in texts], device=device)


class Dataset(list):
    fields = {"text": Field()}


def read(settings):
    adl.init_process_group("gloo")
    text = torch.arange(settings["tokens"])
    if settings.get("legacy"):
        text = Dataset([types.SimpleNamespace(text=[str(token) for token in text.tolist()])])
    iterator = adl.AdaptiveBPTTIterator(text, settings["batch_size"], settings["bptt_len"])
    if "micro_batches" in settings:
        iterator.scale_by_replicas(settings["micro_batches"], until_progress=False)
    if "limit" in settings:
        iterator.autoscale_batch_size(settings["limit"], (1, 2), gradient_accumulation=True)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
    wrapped = adl.AdaptiveDataParallel(model, optimizer)
    micro_steps = 0
    for epoch in adl.remaining_epochs_until(settings["epochs"]):
        for batch in iterator:
            real = batch.target != -100
            print(json.dumps({
                "epoch": epoch, "shape": list(batch.text.shape), "samples": batch.batch_size,
                "first": batch.text[:, 0].tolist() if iterator.batch_first else batch.text[0].tolist(),
                "continues": batch.continues.tolist(), "targets": batch.target[real].tolist() if batch.batch_size else [],
                "follow": bool((batch.text[real] + 1 == batch.target[real]).all()), "len": len(iterator),
                "batch_size": iterator.current_batch_size, "local_batch_size": iterator.current_local_bsz,
                "current": adl.current_dataloader() is iterator}), flush=True)
            optimizer.zero_grad()
            wrapped(batch.text.float().mean().view(1, 1)).sum().backward()
            optimizer.step()
            micro_steps += 1
            if settings.get("signal") == [micro_steps, adl.env.replica_rank()]:
                signal.raise_signal(signal.SIGTERM)


read(json.loads(sys.argv[1]))
