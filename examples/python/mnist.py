# SPDX-License-Identifier: Apache-2.0
"""A convolutional network learns handwritten digits on any number of replicas, with a batch size that follows goodput: the result
of AdaptDL's MNIST tutorial. `batchscope run examples/python/mnist.py --replicas 2`, or by itself: python3 mnist.py."""

import argparse

import batchscope
import batchscope.torch as adl
import drawn_digits
import torch
from torch import nn
from torch.nn import functional


def digits(folder, part, count=None):
    images, labels = drawn_digits.read(folder, part)
    pixels = (images[:count].unsqueeze(1).float() / 255 - 0.1307) / 0.3081  # MNIST's mean and deviation
    return torch.utils.data.TensorDataset(pixels, labels[:count])


def network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 5, stride=2), nn.ReLU(), nn.Flatten(),
        nn.Linear(512, 128), nn.ReLU(), nn.Dropout(0.25), nn.Linear(128, 10))


def train(model, loader, optimizer, device):
    model.train()
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(images), labels)
        loss.backward()
        batchscope.record(loss=loss)
        optimizer.step()


def test(model, loader, device):
    """Returns the accuracy over the shares of all replicas."""
    model.eval()
    sums = adl.Accumulator()
    with torch.no_grad():
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            output = model(images)
            sums["loss"] += functional.cross_entropy(output, labels, reduction="sum").item()
            sums["correct"] += (output.argmax(1) == labels).sum().item()
    with sums.synchronized():
        accuracy = sums["correct"] / len(loader.dataset)
        batchscope.record(validation_loss=sums["loss"] / len(loader.dataset), accuracy=accuracy)
    return accuracy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with MNIST's files, instead of drawn digits")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--batch-size", type=int, default=64, help="initial batch size, over all replicas")
    parser.add_argument("--max-batch-size", type=int, default=1024)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--gamma", type=float, default=0.7, help="factor of the learning rate from epoch to epoch")
    parser.add_argument("--train-images", type=int, help="use only this many training images")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    # Code before init_process_group runs once for all replicas and restarts: they are forked there.
    folder = options.data or drawn_digits.drawn()
    training, testing = digits(folder, "train", options.train_images), digits(folder, "t10k")
    adl.init_process_group()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # this replica's own GPU
    batchscope.hyperparameters(vars(options))
    torch.manual_seed(options.seed)

    loader = adl.AdaptiveDataLoader(training, batch_size=options.batch_size, shuffle=True)
    loader.autoscale_batch_size(options.max_batch_size, local_bsz_bounds=(16, 512), gradient_accumulation=True)
    test_loader = adl.AdaptiveDataLoader(testing, batch_size=500)
    model = network().to(device)
    optimizer = torch.optim.Adadelta(model.parameters(), lr=options.lr)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=options.gamma)
    model = adl.AdaptiveDataParallel(model, optimizer, schedule)

    for epoch in adl.remaining_epochs_until(options.epochs):
        train(model, loader, optimizer, device)
        accuracy = test(model, test_loader, device)
        schedule.step()
        if adl.env.replica_rank() == 0:
            print(f"epoch {epoch}: accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
