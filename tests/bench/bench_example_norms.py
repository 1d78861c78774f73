#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how near the noise scale comes that one process sees by the examples of its batch (engine/train's gradient/example_norms.h).
python.examples.MODEL: its relative error, the median of three moments of the training, each over 1,000 batches at fixed weights. The
truth there is by the gradients of these batches, as `batchscope noise` measures it. mlp: linear layers, where only chance is left;
convolutions: a small ResNet with GroupNorm (of one with BatchNorm nothing is told); transformer: the weights inside of attention, and
places, do not tell. Needs python3-torch."""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

GOALS = dict.fromkeys(("python.examples.mlp", "python.examples.convolutions", "python.examples.transformer"), 0.15)
BIN = pathlib.Path(__file__).resolve().parent.parent
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
BATCHES, SIZE, MOMENTS = 1000, 16, (20, 200, 600)


def tasks():
    """By model: a function that makes it, and one that makes a batch of what it learns."""
    import torch
    from torch import nn
    from torch.nn import functional

    teacher = torch.randn(20, 10)

    def vectors():
        inputs = torch.randn(SIZE, 20)
        return inputs, (inputs @ teacher + 2 * torch.randn(SIZE, 10)).argmax(1)

    def mlp():
        return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))

    patterns = torch.randn(10, 3, 16, 16)

    def pictures():
        labels = torch.randint(10, (SIZE,))
        return patterns[labels] + 2 * torch.randn(SIZE, 3, 16, 16), labels

    class Block(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.layers = nn.Sequential(nn.Conv2d(inputs, outputs, 3, 2, 1, bias=False), nn.GroupNorm(4, outputs), nn.ReLU(),
                                        nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.GroupNorm(4, outputs))
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, 2, bias=False), nn.GroupNorm(4, outputs))

        def forward(self, x):
            return functional.relu(self.layers(x) + self.shortcut(x))

    def resnet():
        return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.GroupNorm(4, 16), nn.ReLU(), Block(16, 32), Block(32, 64),
                             nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))

    words, length = 32, 24
    follows = torch.softmax(3 * torch.randn(words, words), 1)

    def texts():
        text = [torch.randint(words, (SIZE,))]
        for _ in range(length):
            text.append(torch.multinomial(follows[text[-1]], 1).squeeze(1))
        text = torch.stack(text, 1)
        return text[:, :-1], text[:, 1:]

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(words, 64), nn.Parameter(torch.randn(length, 64) / 8)
            self.layers = nn.ModuleList(nn.TransformerEncoderLayer(64, 4, 128, 0, batch_first=True, norm_first=True) for _ in range(2))
            self.norm, self.head = nn.LayerNorm(64), nn.Linear(64, words)
            self.register_buffer("mask", torch.full((length, length), -math.inf).triu(1))

        def forward(self, x):
            x = self.words(x) + self.places
            for layer in self.layers:
                x = layer(x, self.mask)
            return self.head(self.norm(x)).transpose(1, 2)

    return {"mlp": (mlp, vectors), "convolutions": (resnet, pictures), "transformer": (Transformer, texts)}


def errors(name):
    """Prints the error of the noise scale at each moment."""
    import torch
    from batchscope._native import engine
    from torch.nn import functional

    torch.manual_seed(0)
    torch.set_num_threads(1)
    make, batch = tasks()[name]
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    norms = engine.ExampleNorms([list(model.parameters())], interval=1)  # all batches are asked
    norms.expect(SIZE)

    def backward():
        inputs, targets = batch()
        model.zero_grad(set_to_none=True)
        norms.forget()
        norms.listen()
        functional.cross_entropy(model(inputs), targets).backward()

    found, step = [], 0
    for moment in MOMENTS:
        for step in range(step, moment):
            backward()
            optimizer.step()
        sums = {"local": 0, "total": 0, "squares": 0}
        mean = 0
        for _ in range(BATCHES):
            backward()
            gradient = torch.cat([parameter.grad.reshape(-1).double() for parameter in model.parameters()])
            mean = mean + gradient / BATCHES
            told = norms.take()
            sums["squares"] += float(gradient @ gradient) / BATCHES
            sums["local"] += told.local[0] / SIZE / BATCHES
            sums["total"] += told.total[0] / BATCHES
        variance = (sums["squares"] - float(mean @ mean)) * BATCHES / (BATCHES - 1)  # of a batch's gradient
        true = SIZE * variance / (float(mean @ mean) - variance / BATCHES)
        seen = (sums["local"] - sums["total"]) * SIZE / (SIZE * sums["total"] - sums["local"])
        found.append(seen / true - 1)
    print(json.dumps(found))


def main():
    if sys.argv[1:2] == ["--errors"]:
        return errors(sys.argv[2])
    if sys.argv[1:] == ["--list"]:
        return print("\n".join(GOALS if list((BIN / "python/batchscope").glob("_engine.*")) else ()))
    environment = dict(os.environ, PYTHONPATH=f"{BIN / 'python'}:{os.environ.get('PYTHONPATH', '')}")
    for name in sys.argv[1:] or GOALS:
        said = subprocess.run([PYTHON, __file__, "--errors", name.rpartition(".")[2]], env=environment, capture_output=True, text=True,
                              check=True).stdout
        sizes = sorted(map(abs, json.loads(said)))
        print(json.dumps({"name": name, "value": statistics.median(sizes), "unit": "share", "better": "lower", "goal": GOALS[name],
                          "runs": len(sizes), "min": sizes[0], "max": sizes[-1]}), flush=True)


if __name__ == "__main__":
    main()
