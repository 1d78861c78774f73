# SPDX-License-Identifier: Apache-2.0
import drawn_digits  # examples/python
import torch

TRAIN, TEST = 4000, 1000  # images


class MNIST(torch.utils.data.Dataset):
    def __init__(self, root, train=True, download=False, transform=None):
        images, labels = drawn_digits.read(drawn_digits.drawn(), "train" if train else "t10k")
        count = TRAIN if train else TEST
        self._images, self._labels, self._transform = images[:count], labels[:count].tolist(), transform

    def __len__(self):
        return len(self._labels)

    def __getitem__(self, index):
        return self._transform(self._images[index]), self._labels[index]
