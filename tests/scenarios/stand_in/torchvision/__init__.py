# SPDX-License-Identifier: Apache-2.0
"""The part of torchvision that AdaptDL's tutorial uses, on a machine without it and without a network: the names, and in the
place of MNIST the first of the digits that our own example draws."""
