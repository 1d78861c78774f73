# SPDX-License-Identifier: Apache-2.0
"""An LSTM learns to predict the next character of a text, and carries its state from batch to batch: AdaptiveBPTTIterator cuts
the text into columns for any number of replicas. The text is the sources of Python's standard library, or any file.
`batchscope run examples/python/language_model.py --replicas 2`, or by itself: python3 language_model.py."""

import argparse
import math
import pathlib

import batchscope
import batchscope.torch as adl
import torch
from torch import nn
from torch.nn import functional

CHARACTERS = 256  # a byte each


def text_of(file, size):
    if file:
        text = pathlib.Path(file).read_bytes()
    else:
        text = b"".join(source.read_bytes() for source in sorted(pathlib.Path(pathlib.__file__).parent.glob("*.py")))
    return torch.frombuffer(bytearray(text[:size]), dtype=torch.uint8).long()


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embedding = nn.Embedding(CHARACTERS, size)
        self.lstm = nn.LSTM(size, size)
        self.output = nn.Linear(size, CHARACTERS)

    def forward(self, text, state):
        hidden, state = self.lstm(self.embedding(text), state)
        return self.output(hidden), state


def state_for(batch, state, size):
    """Returns the columns' state from the batch before; zeros for new columns, as all are at the start of a pass."""
    n = len(batch.continues)
    if state is None or state[0].size(1) < n:
        return torch.zeros(1, n, size), torch.zeros(1, n, size)
    carries = batch.continues.view(1, n, 1)
    return tuple(part[:, :n].detach() * carries for part in state)


def loss_of(output, batch, reduction="mean"):
    return functional.cross_entropy(output.flatten(0, 1), batch.target.flatten(), reduction=reduction)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="a text, instead of Python's sources")
    parser.add_argument("--characters", type=int, default=400_000, help="use only this many characters of the text; a tenth is for validation")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=16, help="initial batch size: columns over all replicas")
    parser.add_argument("--max-batch-size", type=int, default=128)
    parser.add_argument("--window", type=int, default=64, help="characters of back-propagation through time")
    parser.add_argument("--size", type=int, default=128, help="size of the LSTM")
    parser.add_argument("--lr", type=float, default=2.0)
    options = parser.parse_args()

    text = text_of(options.data, options.characters)
    split = len(text) * 9 // 10
    adl.init_process_group()
    batchscope.hyperparameters(vars(options))
    torch.manual_seed(0)
    training = adl.AdaptiveBPTTIterator(text[:split], options.batch_size, options.window, max_batch_size=options.max_batch_size)
    validation = adl.AdaptiveBPTTIterator(text[split:], options.batch_size, options.window, train=False)
    model = Model(options.size)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.epochs)
    parallel = adl.AdaptiveDataParallel(model, optimizer, schedule)

    for epoch in adl.remaining_epochs_until(options.epochs):
        model.train()
        state = None
        for batch in training:
            optimizer.zero_grad()
            output, state = parallel(batch.text, state_for(batch, state, options.size))
            loss = loss_of(output, batch)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)  # of the averaged gradient: all replicas clip alike
            batchscope.record(loss=loss)
            optimizer.step()

        model.eval()
        sums, state = adl.Accumulator(), None
        with torch.no_grad():
            for batch in validation:
                output, state = model(batch.text, state_for(batch, state, options.size))
                if batch.batch_size > 0:
                    sums["loss"] += loss_of(output, batch, "sum").item()
                    sums["characters"] += (batch.target >= 0).sum().item()
        with sums.synchronized():
            loss = sums["loss"] / sums["characters"]
            batchscope.record(validation_loss=loss, bits_per_character=loss / math.log(2))
        schedule.step()
        if adl.env.replica_rank() == 0:
            print(f"epoch {epoch}: {loss / math.log(2):.2f} bits a character")


if __name__ == "__main__":
    main()
