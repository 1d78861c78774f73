# SPDX-License-Identifier: Apache-2.0
"""The gradient's noise that one process can see: the examples of its batch stand for replicas of one example each.

A loss that is a mean over B examples has the gradient c_1 + .. + c_B, where c_i is the share of example i, whose own gradient is
B c_i. The estimator (goodput/noise_scale.h, with a count of B) needs the sum of the squares of the examples' gradients and the square
of their mean, L = B^2 (|c_1|^2 + .. + |c_B|^2) and T = |c_1 + .. + c_B|^2. Backward passes never make the shares, but some layers tell
their squares nearly for nothing, from their input x_i and the gradient g_i at their output:

    linear          weight |x_i|^2 |g_i|^2, bias |g_i|^2              Goodfellow, "Efficient per-example gradient computations", 2015
    normalisation   weight |sum of g_i z_i|^2, bias |sum of g_i|^2    over positions; z_i: normalised x_i

Where layers of other kinds are trained too, the ratio of L to T in these is taken for that of all: Gray et al., "Normalization layer
per-example gradients are sufficient to predict gradient noise scale in transformers", 2024, find it so up to a constant factor.
"""
import functools
import math

import torch
from torch.nn import functional

_BATCH_NORMS = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)


class ExampleNorms:
    """Squares of the shares of the examples of one step's backward passes."""

    def __init__(self, model):
        self._passes = []
        self._begin()
        self._squares_of = {}
        for module in model.modules():
            for kinds, squares in _SQUARES:
                if isinstance(module, kinds) and any(parameter.requires_grad for parameter in module.parameters(recurse=False)):
                    self._squares_of[module] = squares
                    module.register_forward_hook(self._after_forward)
        if self._squares_of:
            for parameter in model.parameters():
                if parameter.requires_grad:
                    parameter.register_hook(functools.partial(self._add_total, id(parameter)))

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
        """Returns L, T and B of the step's passes, of which the last had so many samples; L and T are NaN where no layer told them.
        The next step begins."""
        self.begin_pass(samples_of_pass)
        passes, self._passes = self._passes, []
        if not passes or len({count for _, _, count in passes}) > 1:
            return math.nan, math.nan, 0
        # A loss is usually divided by the number of passes, so that each has that part of the gradient's length.
        local, total = (len(passes) * sum(values) for values in zip(*((local, total) for local, total, _ in passes)))
        return local, total, passes[0][2]

    def _begin(self):
        self._shares = {}  # by layer: examples, and the sum of their squares
        self._calls = {}  # by layer
        self._totals = {}  # by parameter, squares

    def _of_pass(self, samples, everything):
        told = [layer for layer, (count, _) in self._shares.items() if count == samples and self._calls[layer] == 1]
        shares = sum(float(self._shares[layer][1]) for layer in told)
        total = sum(float(self._totals.get(id(parameter), 0)) for layer in told for parameter in layer.parameters(recurse=False))
        if samples < 2 or not total > 0:
            return math.nan, math.nan, samples
        return samples**2 * shares * everything / total, everything, samples

    def _add_total(self, parameter, gradient):
        self._totals[parameter] = _square(gradient)

    def _after_forward(self, layer, inputs, output):
        if layer.training and torch.is_grad_enabled() and output.requires_grad:
            self._calls[layer] = self._calls.get(layer, 0) + 1
            output.register_hook(functools.partial(self._add_shares, layer, inputs[0].detach()))

    def _add_shares(self, layer, inputs, gradient):
        with torch.no_grad():
            squares = self._squares_of[layer](layer, _wide(inputs), _wide(gradient))
        if squares is not None:
            self._shares[layer] = len(inputs), squares


def _wide(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _square(gradient):
    flat = _wide(gradient.detach()).reshape(-1)
    return torch.dot(flat, flat)


def _linear(layer, inputs, gradient):
    """None where an example has several positions: their shares would have to be added up before they are squared."""
    if inputs.dim() != 2:
        return None
    of_gradient = gradient.square().sum(1)
    factor = layer.weight.requires_grad * inputs.square().sum(1) + (layer.bias is not None and layer.bias.requires_grad)
    return torch.dot(of_gradient, factor)


def _affine(layer, normalised, gradient, dimensions):
    """The squares of a normalisation layer, which adds up each example's shares over these dimensions."""
    squares = 0
    if layer.weight is not None and layer.weight.requires_grad:
        squares = _sum(gradient * normalised, dimensions).square().sum()
    if layer.bias is not None and layer.bias.requires_grad:
        squares = squares + _sum(gradient, dimensions).square().sum()
    return squares


def _sum(tensor, dimensions):
    return tensor.sum(dimensions) if dimensions else tensor


def _layer_norm(layer, inputs, gradient):
    normalised = functional.layer_norm(inputs, layer.normalized_shape, eps=layer.eps)
    return _affine(layer, normalised, gradient, tuple(range(1, inputs.dim() - len(layer.normalized_shape))))


def _group_norm(layer, inputs, gradient):
    return _affine(layer, functional.group_norm(inputs, layer.num_groups, eps=layer.eps), gradient, tuple(range(2, inputs.dim())))


def _batch_norm(layer, inputs, gradient):
    normalised = functional.batch_norm(inputs, None, None, training=True, eps=layer.eps)
    return _affine(layer, normalised, gradient, tuple(range(2, inputs.dim())))


_SQUARES = ((torch.nn.Linear, _linear), (torch.nn.LayerNorm, _layer_norm), (torch.nn.GroupNorm, _group_norm), (_BATCH_NORMS, _batch_norm))
