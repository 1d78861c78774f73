# SPDX-License-Identifier: Apache-2.0
"""The gradient's noise that one process can see: the examples of its batch stand for replicas of one example each.

A loss that is a mean over B examples has the gradient c_1 + .. + c_B, where c_i is the share of example i, whose own gradient is
B c_i. The estimator (goodput/noise_scale.h, with a count of B) needs the sum of the squares of the examples' gradients and the square
of their mean, L = B^2 (|c_1|^2 + .. + |c_B|^2) and T = |c_1 + .. + c_B|^2. Backward passes never make the shares, but each layer can
tell their squares, from its input x and the gradient g at its output, at positions p of an example (of a text or a picture):

    linear, one position    weight |x|^2 |g|^2, bias |g|^2            Goodfellow, "Efficient per-example gradient computations", 2015
    linear, several         weight |sum_p g_p x_p'|^2, or the same    Li et al., "Large language models can be strong differentially
                            as sum_pq (x_p x_q) (g_p g_q)             private learners", 2022
    convolution             a linear layer of its patches
    embedding               sum_pq (g_p g_q) where p and q are the same word
    normalisation           weight |sum_p g_p z_p|^2, z: normalised x; bias |sum_p g_p|^2

The first and the last are sums over inputs and gradients. The others cost about as much as the weight's gradient, so that a model with
one of them is asked in one step of INTERVAL. Parameters of no such layer are taken to have the ratio of L to T that those of all others have.

A BatchNorm in training makes examples depend on one another. Their shares are then no sample of independent gradients, and the noise
scale came out twice too large for a small ResNet: such a step tells nothing.
"""
import functools
import math

import torch
from torch import nn
from torch.nn import functional

INTERVAL = 16  # steps


class ExampleNorms:
    """Squares of the shares of the examples of one step's backward passes."""

    def __init__(self, model):
        self._squares_of = {}
        self._passes = []
        self._steps = 0
        self._is_coupled = False  # examples depend on one another
        for module in model.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.register_forward_hook(self._after_batch_norm)
            squares = _squares_of(module)
            if squares and any(parameter.requires_grad for parameter in module.parameters(recurse=False)):
                self._squares_of[module] = squares
                module.register_forward_hook(self._after_forward)
        told = [parameter for module in self._squares_of for parameter in module.parameters(recurse=False)]
        self.interval = 1  # steps, of which one is asked
        if told:
            for parameter in model.parameters():
                if parameter.requires_grad:
                    parameter.register_hook(functools.partial(self._add_total, id(parameter)))
        self._begin()

    @property
    def has_layers(self):
        """Whether the model has a layer that tells its examples' shares."""
        return bool(self._squares_of)

    def begin_pass(self, ended):
        """The model is called. `ended`: samples of the call before, whose backward pass, where there was one, is over."""
        if self._totals:
            total = math.fsum(map(float, self._totals.values()))
            if math.isfinite(total):
                self._passes.append(self._of_pass(ended, total))
            else:  # a GradScaler leaves the step out
                self._passes.clear()
        self._begin()

    def take(self, samples_of_pass):
        """Returns L, T and B of the step's passes, of which the last had so many samples; L and T are NaN where no layer told them, and
        B is 0 in a step that was not asked. The next step begins."""
        self.begin_pass(samples_of_pass)
        passes, self._passes = self._passes, []
        self._steps += bool(passes) or not self._asks
        if not passes or len({count for _, _, count in passes}) > 1:
            return math.nan, math.nan, 0
        # A loss is usually divided by the number of passes, so that each has that part of the gradient's length.
        local, total = (len(passes) * sum(values) for values in zip(*((local, total) for local, total, _ in passes)))
        return local, total, passes[0][2]

    @property
    def _asks(self):
        return self._steps % self.interval == 0

    def _begin(self):
        self._shares = {}  # by layer: examples, and the sum of their squares
        self._calls = {}  # by layer
        self._totals = {}  # by parameter, squares

    def _of_pass(self, samples, everything):
        told = [layer for layer, (count, _) in self._shares.items() if count == samples and self._calls[layer] == 1]
        shares = sum(float(self._shares[layer][1]) for layer in told)
        total = sum(float(self._totals.get(id(parameter), 0)) for layer in told for parameter in layer.parameters(recurse=False))
        if self._is_coupled or samples < 2 or not total > 0:
            return math.nan, math.nan, samples
        return samples**2 * shares * everything / total, everything, samples

    def _add_total(self, parameter, gradient):
        if self._asks:
            flat = _wide(gradient.detach()).reshape(-1)
            self._totals[parameter] = torch.dot(flat, flat)

    def _after_forward(self, layer, inputs, output):
        if self._asks and layer.training and torch.is_grad_enabled() and output.requires_grad:
            self._calls[layer] = self._calls.get(layer, 0) + 1
            output.register_hook(functools.partial(self._add_shares, layer, inputs[0].detach()))

    def _after_batch_norm(self, layer, *_):
        self._is_coupled = self._is_coupled or layer.training

    def _add_shares(self, layer, inputs, gradient):
        if len(inputs) == len(gradient) and gradient.dim() > 1:
            with torch.no_grad():
                self._shares[layer] = len(inputs), self._squares_of[layer](layer, _wide(inputs), _wide(gradient))
            if self._squares_of[layer] not in _CHEAP and not (isinstance(layer, nn.Linear) and inputs.dim() == 2):
                self.interval = INTERVAL


def _wide(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _trains(layer, name):
    parameter = getattr(layer, name)
    return parameter is not None and parameter.requires_grad


def _linear(layer, inputs, gradient):
    if inputs.dim() == 2:
        factor = _trains(layer, "weight") * inputs.square().sum(1) + _trains(layer, "bias")
        return torch.dot(gradient.square().sum(1), factor)
    return _positions(layer, inputs.flatten(1, -2), gradient.flatten(1, -2))


def _positions(layer, inputs, gradient):
    """The squares of a linear layer, of inputs and gradients by example, position and feature."""
    squares = gradient.sum(1).square().sum() if _trains(layer, "bias") else gradient.new_zeros(())
    if _trains(layer, "weight"):
        count, features, outputs = inputs.shape[1], inputs.shape[2], gradient.shape[2]
        if count * (features + outputs) < features * outputs:
            squares = squares + (torch.bmm(inputs, inputs.mT) * torch.bmm(gradient, gradient.mT)).sum()
        else:
            squares = squares + sum(torch.mm(g.T, x).square().sum() for x, g in zip(inputs, gradient))
    return squares


def _convolution(layer, inputs, gradient):
    """Each group of channels is a linear layer of its own."""
    kernel, *rest = layer.kernel_size, layer.dilation, layer.padding, layer.stride
    if inputs.dim() == 3:  # a picture one pixel high
        inputs, gradient = inputs.unsqueeze(2), gradient.unsqueeze(2)
        kernel, rest = (1, *kernel), [(one, *of) for one, of in zip((1, 0, 1), rest)]
    patches = functional.unfold(inputs, kernel, *rest).mT  # by example, position and feature
    parts = zip(patches.chunk(layer.groups, 2), gradient.flatten(2).mT.chunk(layer.groups, 2))
    return sum(_positions(layer, x, g) for x, g in parts)


def _embedding(layer, inputs, gradient):
    words, gradient = inputs.flatten(1), gradient.flatten(1, -2)
    same = words.unsqueeze(2) == words.unsqueeze(1)
    if layer.padding_idx is not None:
        same = same & (words != layer.padding_idx).unsqueeze(2)
    return (torch.bmm(gradient, gradient.mT) * same).sum()


def _affine(layer, normalised, gradient, dimensions):
    """The squares of a normalisation layer, which adds up each example's shares over these dimensions."""
    squares = gradient.new_zeros(())
    if _trains(layer, "weight"):
        squares = squares + _sum(gradient * normalised, dimensions).square().sum()
    if _trains(layer, "bias"):
        squares = squares + _sum(gradient, dimensions).square().sum()
    return squares


def _sum(tensor, dimensions):
    return tensor.sum(dimensions) if dimensions else tensor


def _layer_norm(layer, inputs, gradient):
    normalised = functional.layer_norm(inputs, layer.normalized_shape, eps=layer.eps)
    return _affine(layer, normalised, gradient, tuple(range(1, inputs.dim() - len(layer.normalized_shape))))


def _group_norm(layer, inputs, gradient):
    return _affine(layer, functional.group_norm(inputs, layer.num_groups, eps=layer.eps), gradient, tuple(range(2, inputs.dim())))


_CHEAP = {_layer_norm, _group_norm}
_SQUARES = ((nn.Linear, _linear), ((nn.Conv1d, nn.Conv2d), _convolution), (nn.Embedding, _embedding), (nn.LayerNorm, _layer_norm),
            (nn.GroupNorm, _group_norm))


def _squares_of(module):
    """Returns the function of its kind; None where it cannot tell."""
    if isinstance(module, (nn.Conv1d, nn.Conv2d)) and (module.padding_mode != "zeros" or isinstance(module.padding, str)):
        return None
    if isinstance(module, nn.Embedding) and (module.max_norm is not None or module.scale_grad_by_freq or module.sparse):
        return None
    return next((squares for kinds, squares in _SQUARES if isinstance(module, kinds)), None)
