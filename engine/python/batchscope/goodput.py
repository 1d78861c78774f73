# SPDX-License-Identifier: Apache-2.0
"""Computes goodput as a function of the number of replicas and the batch size, under AdaptDL's names:

    perf = fit_perf_params(num_nodes, num_replicas, atomic_bsz, accum_step_time, optim_step_time)
    function = GoodputFunction(perf, GradParams(sqr=1e-4, var=2e-2), init_batch_size=64)
    goodput, atomic_bsz, accum_steps = function.optimize(num_nodes=1, num_replicas=4, max_batch_size=1024)

Times are in seconds, rates in samples a second; atomic_bsz is the samples of one replica's micro-batch, accum_steps the
micro-batches beyond the first. Arguments are numbers, or NumPy's arrays, which are combined element by element.
"""
import collections
import numbers

from ._native import engine

PerfParams = collections.namedtuple("PerfParams", ["alpha_c", "beta_c", "alpha_n", "beta_n", "alpha_r", "beta_r", "gamma"])
GradParams = collections.namedtuple("GradParams", ["sqr", "var"])


def each(function, types, *arguments):
    """Returns the function's result for numbers, or for arrays an array of each result. `types`: the types of the results."""
    if all(isinstance(argument, numbers.Number) for argument in arguments):
        return function(*arguments)
    import numpy
    return numpy.vectorize(function, otypes=types)(*arguments)


def bounds(init_batch_size, max_batch_size, atomic_bsz_range, accumulation):
    """Returns the engine's bounds. Raises ValueError for a max_batch_size below the initial batch size."""
    if max_batch_size is not None and max_batch_size < init_batch_size:
        raise ValueError(f"max_batch_size {max_batch_size} is below the initial batch size {init_batch_size}")
    minimum, maximum = atomic_bsz_range or (None, None)
    return engine.Bounds(max_batch_size or 0, minimum or 0, maximum or 0, accumulation)


class GoodputFunction:
    """Goodput is throughput times statistical efficiency."""

    def __init__(self, perf_params, grad_params, init_batch_size):
        self.init_batch_size = init_batch_size
        self.native = engine.GoodputFunction(PerfParams(*perf_params), GradParams(*grad_params), init_batch_size)

    def __call__(self, num_nodes, num_replicas, atomic_bsz, accum_steps):
        return self.evaluate(num_nodes, num_replicas, atomic_bsz, accum_steps)

    def evaluate(self, num_nodes, num_replicas, atomic_bsz, accum_steps):
        """Returns the goodput, samples/s; 0 for counts that make no sense."""
        return each(self.native.evaluate, [float], num_nodes, num_replicas, atomic_bsz, accum_steps)

    def throughput(self, num_nodes, num_replicas, atomic_bsz, accum_steps):
        """Returns samples/s; 0 for counts that make no sense."""
        return each(self.native.throughput, [float], num_nodes, num_replicas, atomic_bsz, accum_steps)

    def efficiency(self, batch_size):
        """Returns the statistical efficiency of a total batch size, 0 to 1; 1 up to the initial one."""
        return each(self.native.efficiency, [float], batch_size)

    def optimize(self, num_nodes, num_replicas, max_batch_size=None, atomic_bsz_range=None, accumulation=False):
        """Returns (goodput, atomic_bsz, accum_steps) of the best batch size up to max_batch_size, or up to the initial one
        if that is None; zeros if none is within the bounds. atomic_bsz_range: (minimum, maximum), None for no bounds."""
        limits = bounds(self.init_batch_size, max_batch_size, atomic_bsz_range, accumulation)
        return each(lambda nodes, replicas: self.native.optimize(nodes, replicas, limits), [float, int, int],
                    num_nodes, num_replicas)


def fit_perf_params(num_nodes, num_replicas, atomic_bsz, accum_step_time, optim_step_time):
    """Returns the PerfParams that explain the measured times best. Each argument has an entry for each configuration:
    accum_step_time is the time of a micro-batch without synchronisation, optim_step_time with it. Raises ValueError for empty
    arguments, and for times or counts that are not positive and finite."""
    return PerfParams(*engine.fit(_rows(num_nodes, num_replicas, atomic_bsz, accum_step_time, optim_step_time)))


def fit_objective(perf_params, num_nodes, num_replicas, atomic_bsz, accum_step_time, optim_step_time):
    """Returns the objective that fit_perf_params minimises: the error of the times' logarithms plus AdaptDL's regularisers."""
    return engine.fit_objective(perf_params, _rows(num_nodes, num_replicas, atomic_bsz, accum_step_time, optim_step_time))


def accumulation_time(perf_params, atomic_bsz):
    """Returns the seconds of a micro-batch without synchronisation."""
    return each(lambda local: engine.accumulation_time(perf_params, local), [float], atomic_bsz)


def sync_time(perf_params, num_nodes, num_replicas):
    """Returns the seconds of synchronisation alone."""
    return each(lambda nodes, replicas: engine.sync_time(perf_params, nodes, replicas), [float], num_nodes, num_replicas)


def _rows(*columns):
    rows = list(zip(*columns))
    if any(len(column) != len(rows) for column in columns):
        raise ValueError("fit_perf_params: each argument needs an entry for each configuration, and their lengths are "
                         f"{', '.join(str(len(column)) for column in columns)}")
    return rows
