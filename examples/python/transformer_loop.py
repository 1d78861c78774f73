# SPDX-License-Identifier: Apache-2.0
"""A written-out training loop, as around Hugging Face's models: parameter groups with and without weight decay, AdamW, a learning
rate that warms up and falls step by step, clipping, evaluation with metrics over all replicas, and a batch that is accumulated if
a replica's memory cannot hold it. AdaptiveDataParallel, the loader and Accumulator take the places of `accelerator.prepare`,
`accelerator.accumulate` and `accelerator.gather_for_metrics`, on any number of replicas.
A small Transformer classifies sequences by whether their brackets are balanced. It needs only PyTorch.
`batchscope run examples/python/transformer_loop.py --replicas 2`, or by itself: python3 transformer_loop.py."""

import argparse
import itertools
import random

import batchscope
import batchscope.torch as adl
import torch
from torch import nn
from torch.nn import functional

PADDING, OPEN, CLOSE = range(3)


def brackets(count, length, seed):
    """Returns sequences of brackets as from a tokenizer, half of them balanced: (input_ids, labels)."""
    chance = random.Random(seed)
    examples, labels = torch.full((count, length), PADDING), torch.arange(count) % 2
    for row, label in zip(examples, labels):
        sequence = [OPEN, CLOSE] * chance.randint(2, length // 2)
        chance.shuffle(sequence)
        while is_balanced(sequence) != bool(label):
            if label:  # rotated so that its deepest place is the end
                depths = depths_of(sequence)
                lowest = depths.index(min(depths)) + 1
                sequence = sequence[lowest:] + sequence[:lowest]
            else:
                chance.shuffle(sequence)
        row[:len(sequence)] = torch.tensor(sequence)
    return torch.utils.data.TensorDataset(examples, labels)


def depths_of(sequence):
    return list(itertools.accumulate(1 if token == OPEN else -1 for token in sequence))


def is_balanced(sequence):
    return min(depths_of(sequence)) >= 0


class Classifier(nn.Module):
    def __init__(self, length, size=32, heads=4, layers=2):
        super().__init__()
        self.tokens = nn.Embedding(3, size, padding_idx=PADDING)
        self.places = nn.Parameter(torch.randn(length, size) * 0.1)
        layer = nn.TransformerEncoderLayer(size, heads, 2 * size, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(size, 2)

    def forward(self, input_ids, labels):
        padded = input_ids == PADDING
        hidden = self.encoder(self.tokens(input_ids) + self.places, src_key_padding_mask=padded)
        logits = self.head(hidden.masked_fill(padded.unsqueeze(2), 0).sum(1))
        return functional.cross_entropy(logits, labels), logits


def parameter_groups(model, weight_decay):
    """Returns the groups: matrices decay; biases and the scales of normalisation do not."""
    decays = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    return [{"params": decays, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def linear_with_warmup(warmup, total):
    return lambda step: min((step + 1) / warmup, max(0.0, (total - step) / (total - warmup)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--examples", type=int, default=6000)
    parser.add_argument("--length", type=int, default=16, help="tokens of a sequence")
    parser.add_argument("--batch-size", type=int, default=32, help="initial batch size, over all replicas")
    parser.add_argument("--max-batch-size", type=int, default=256)
    parser.add_argument("--per-device-batch-size", type=int, default=64, help="largest micro-batch of a replica; more is accumulated")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--weight-decay", type=float, default=0.01)
    parser.add_argument("--warmup", type=float, default=0.1, help="fraction of the steps in which the learning rate rises")
    options = parser.parse_args()

    training = brackets(options.examples, options.length, seed=1)
    evaluation = brackets(1000, options.length, seed=2)
    adl.init_process_group()
    batchscope.hyperparameters(vars(options))
    torch.manual_seed(0)
    loader = adl.AdaptiveDataLoader(training, batch_size=options.batch_size, shuffle=True)
    loader.autoscale_batch_size(options.max_batch_size, local_bsz_bounds=(8, options.per_device_batch_size),
                                gradient_accumulation=True)
    evaluation_loader = adl.AdaptiveDataLoader(evaluation, batch_size=250)
    model = Classifier(options.length)
    optimizer = torch.optim.AdamW(parameter_groups(model, options.weight_decay), lr=options.lr)
    total = options.epochs * options.examples // options.batch_size
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, linear_with_warmup(max(1, int(total * options.warmup)), total))
    parallel = adl.AdaptiveDataParallel(model, optimizer, schedule)

    for epoch in adl.remaining_epochs_until(options.epochs):
        model.train()
        for input_ids, labels in loader:
            optimizer.zero_grad()
            loss, _ = parallel(input_ids, labels)
            loss.backward()
            if parallel.require_backward_grad_sync:  # accelerator.sync_gradients
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            batchscope.record(loss=loss)
            optimizer.step()
            # The schedule counts steps of the initial batch size. A step on a larger batch is worth `gain` of them, which
            # progress adds up. While micro-batches are accumulated, progress stays the same until their step.
            while schedule.last_epoch + 1 <= min(parallel.progress, total):
                schedule.step()

        model.eval()
        metrics = adl.Accumulator()
        with torch.no_grad():
            for input_ids, labels in evaluation_loader:
                loss, logits = model(input_ids, labels)
                metrics["loss"] += loss.item() * len(labels)
                metrics["correct"] += (logits.argmax(1) == labels).sum().item()
        with metrics.synchronized():
            accuracy = metrics["correct"] / len(evaluation)
            batchscope.record(validation_loss=metrics["loss"] / len(evaluation), accuracy=accuracy)
        if adl.env.replica_rank() == 0:
            print(f"epoch {epoch}: accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
