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

The shares cost about as much as the weights' gradients, so that only some steps are asked: the first 32 all, then one of 2, of 4 and of 8,
at last one of INTERVAL, which stands for all steps up to the next. A step that is not asked has no hooks. Parameters of no such layer are
taken to have the ratio of L to T that those of the others in their group have, or else those of all.

A BatchNorm in training makes examples depend on one another. Their shares are then no sample of independent gradients, and the noise
scale came out twice too large for a small ResNet: such a step tells nothing.
"""
import collections
import functools
import math

import torch
from torch import nn
from torch.nn import functional

INTERVAL = 16  # steps

Examples = collections.namedtuple("Examples", "local total count steps")


class ExampleNorms:
    """Squares of the shares of the examples of one step's backward passes, by group of parameters."""

    def __init__(self, model, groups):
        self._groups = [list(group) for group in groups]
        self._layers = [module for module in model.modules() if _squares_of(module)]
        self._batch_norms = [module for module in model.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
        self._hooks = []  # of a step that is asked
        self._passes = []
        self._begin_pass()
        self.continue_after(0)

    def continue_after(self, steps):
        """So many steps have been made."""
        self.steps = steps
        self._asked = -(-steps // self.interval) * self.interval  # the next step that is asked

    @property
    def has_layers(self):
        """Whether the model has a layer that tells its examples' shares."""
        return any(map(_tells, self._layers))

    @property
    def has_coupled_examples(self):
        """Whether a BatchNorm takes the statistics of a batch."""
        return any(layer.training or layer.running_mean is None for layer in self._batch_norms)

    @property
    def interval(self):
        """Steps from this one, if it is asked, to the next: the largest power of two up to a sixteenth of the steps so far."""
        return min(INTERVAL, max(1, 1 << (self.steps // INTERVAL).bit_length() >> 1))

    def listen(self):
        """The model is about to be called. Makes the hooks of a step that is asked."""
        if self.steps == self._asked and not self._hooks:
            self._hooks += [layer.register_forward_hook(self._after_forward) for layer in self._layers if _tells(layer)]
            self._hooks += [parameter.register_hook(functools.partial(self._add_total, id(parameter)))
                            for group in self._groups for parameter in group if self._hooks and parameter.requires_grad]

    def forget(self):
        """Forgets the backward passes since the last step, whose gradients are dropped."""
        if self._hooks:
            self._passes.clear()
            self._begin_pass()

    def end_pass(self, samples):
        """A backward pass over so many samples, if there was one, is over."""
        if self._totals:
            totals = {parameter: float(total) for parameter, total in self._totals.items()}
            if 0 < sum(totals.values()) < math.inf:
                self._passes.append(self._of_pass(samples, totals))
            else:  # a GradScaler leaves the step out, or there is nothing to learn
                self._passes.clear()
            self._begin_pass()

    def take(self, samples):
        """Ends a step, of whose last pass this is the number of samples. Returns None where the step was not asked, or its gradient is zero or
        not finite. Else, of each group, L summed over the examples, and T, all NaN where no layer has told them; B; and how many steps this
        stands for."""
        if self.steps < self._asked:
            self.steps += 1
            return None
        interval = self.interval
        self.steps += 1
        self._asked += interval
        if not self._hooks:
            return Examples([math.nan], [math.nan], samples, interval)
        self.end_pass(samples)
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        passes, self._passes = self._passes, []
        if not passes or len({count for _, _, count in passes}) > 1:
            return None
        # A loss is usually divided by the number of passes, so that each has that part of the gradient's length.
        local, total = ([len(passes) * sum(of_group) for of_group in zip(*values)] for values in list(zip(*passes))[:2])
        return Examples(local, total, passes[0][2], interval)

    def _begin_pass(self):
        self._shares = collections.defaultdict(list)  # by parameter, of each call of its layer: examples, and the sum of their squares
        self._totals = {}  # by parameter, squares

    def _of_pass(self, samples, totals):
        def ratio(parameters):
            """L over T, of those that tell: once, and of each sample. A weight that two layers share does not."""
            told = [parameter for parameter in parameters
                    if parameter in totals and [count for count, _ in self._shares[parameter]] == [samples]]
            total = sum(totals[parameter] for parameter in told)
            return samples**2 * sum(float(self._shares[parameter][0][1]) for parameter in told) / total if total > 0 else math.nan

        groups = [list(map(id, group)) for group in self._groups]
        of_all = ratio(sum(groups, [])) if samples > 1 and not self.has_coupled_examples else math.nan
        total = [sum(totals.get(parameter, 0) for parameter in group) for group in groups]
        own = [of_all if math.isnan(of_all) or math.isnan(of_group) else of_group for of_group in map(ratio, groups)]
        return [of_group * square for of_group, square in zip(own, total)], total, samples

    def _add_total(self, parameter, gradient):
        flat = _wide(gradient.detach()).reshape(-1)
        self._totals[parameter] = torch.dot(flat, flat)

    def _after_forward(self, layer, inputs, output):
        if inputs and output.requires_grad:
            output.register_hook(functools.partial(self._add_shares, layer, inputs[0].detach()))

    def _add_shares(self, layer, inputs, gradient):
        if len(inputs) == len(gradient) and gradient.dim() > 1:
            with torch.no_grad():
                squares = _squares_of(layer)(layer, _wide(inputs), _wide(gradient))
            for parameter, square in zip((layer.weight, getattr(layer, "bias", None)), squares):
                self._shares[id(parameter)].append((len(inputs), square))


def _wide(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def _tells(layer):
    return any(parameter.requires_grad for parameter in layer.parameters(recurse=False))


# The squares of a layer's weight and bias, of its inputs and of the gradients at its outputs.

def _linear(layer, inputs, gradient):
    if inputs.dim() == 2:
        squares = gradient.square().sum(1)
        return torch.dot(squares, inputs.square().sum(1)), squares.sum()
    return _positions(inputs.flatten(1, -2), gradient.flatten(1, -2))


def _positions(inputs, gradient):
    """Returns those of a linear layer, of inputs and gradients by example, position and feature."""
    count, features, outputs = inputs.shape[1], inputs.shape[2], gradient.shape[2]
    if count * (features + outputs) < features * outputs:
        weight = (torch.bmm(inputs, inputs.mT) * torch.bmm(gradient, gradient.mT)).sum()
    else:
        weight = torch.bmm(gradient.mT, inputs).square().sum()
    return weight, gradient.sum(1).square().sum()


def _convolution(layer, inputs, gradient):
    """Each group of channels is a linear layer of its own."""
    kernel, *rest = layer.kernel_size, layer.dilation, layer.padding, layer.stride
    if inputs.dim() == 3:  # a picture one pixel high
        inputs, gradient = inputs.unsqueeze(2), gradient.unsqueeze(2)
        kernel, rest = (1, *kernel), [(one, *of) for one, of in zip((1, 0, 1), rest)]
    patches = functional.unfold(inputs, kernel, *rest).mT  # by example, position and feature
    parts = zip(patches.chunk(layer.groups, 2), gradient.flatten(2).mT.chunk(layer.groups, 2))
    return map(sum, zip(*(_positions(x, g) for x, g in parts)))


def _embedding(layer, inputs, gradient):
    words, gradient = inputs.flatten(1), gradient.flatten(1, -2)
    same = words.unsqueeze(2) == words.unsqueeze(1)
    if layer.padding_idx is not None:
        same = same & (words != layer.padding_idx).unsqueeze(2)
    return (torch.bmm(gradient, gradient.mT) * same).sum(),


def _normalisation(normalised, gradient, dimensions):
    """Returns those of a normalisation layer, which adds up each example's shares over these dimensions."""
    def squares(shares):
        return (shares.sum(dimensions) if dimensions else shares).square().sum()
    return squares(gradient * normalised), squares(gradient)


def _layer_norm(layer, inputs, gradient):
    normalised = functional.layer_norm(inputs, layer.normalized_shape, eps=layer.eps)
    return _normalisation(normalised, gradient, tuple(range(1, inputs.dim() - len(layer.normalized_shape))))


def _group_norm(layer, inputs, gradient):
    return _normalisation(functional.group_norm(inputs, layer.num_groups, eps=layer.eps), gradient, tuple(range(2, inputs.dim())))


_SQUARES = ((nn.Linear, _linear), (nn.Conv1d, _convolution), (nn.Conv2d, _convolution), (nn.Embedding, _embedding),
            (nn.LayerNorm, _layer_norm), (nn.GroupNorm, _group_norm))


def _squares_of(module):
    """Returns the function of its kind; None where it cannot tell."""
    if isinstance(module, (nn.Conv1d, nn.Conv2d)) and (module.padding_mode != "zeros" or isinstance(module.padding, str)):
        return None
    if isinstance(module, nn.Embedding) and (module.max_norm is not None or module.scale_grad_by_freq or module.sparse):
        return None
    return next((squares for kind, squares in _SQUARES if type(module).forward is kind.forward), None)
