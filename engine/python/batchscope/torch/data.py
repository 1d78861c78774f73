# SPDX-License-Identifier: Apache-2.0
"""Provides loaders with a batch size that follows goodput, resumable at any sample on any number of replicas."""
import torch
from torch.utils.data import DataLoader, IterableDataset, Sampler

from .._native import engine
from .._recorder import whole
from . import own_numbers, stream
from .epoch import current_epoch
from .loader import AdaptiveLoader, Loop, current_dataloader

class ElasticSampler(Sampler):
    """The order in which replicas share a dataset: the same permutation on each, drawn from the epoch and the pass.

    num_replicas and rank: None means those of this process; set them for another replica.
    """

    num_replicas = rank = None

    def __init__(self, dataset, shuffle=True):
        self.dataset, self.shuffle = dataset, shuffle
        self.set_epoch(0)

    def set_epoch(self, epoch, index=0):
        """Continues the epoch after `index` samples of all replicas."""
        self.epoch, self.index = epoch, index

    def _share(self):
        replicas = engine.num_replicas() if self.num_replicas is None else self.num_replicas
        rank = engine.replica_rank() if self.rank is None else self.rank
        share = engine.ElasticSampler(len(self.dataset), replicas, rank, self.shuffle)
        share.set_epoch(self.epoch, self.index)
        return share

    def __iter__(self):
        return iter(self._share().indices())

    def __len__(self):
        return self._share().length()


class AdaptiveDataLoaderHelper(AdaptiveLoader):
    """A helper for your own loaders: it does everything in a loop over data except making the samples. For the helper, samples are
    the numbers below `size`. It chooses the batch size, says which samples belong to this replica, agrees with the other
    replicas when to checkpoint and to leave, ends the loop, and continues in its middle after a restart."""

    def __init__(self, batch_size=1, *, size, shuffle=False, drop_last=False, training=None):
        """The arguments are those of AdaptiveDataLoader. After a restart, helpers are recognised by the order in which a program
        makes them. Raises ValueError for a batch size below 1; RuntimeError inside a loop over data."""
        super().__init__(batch_size, drop_last, training)
        self.size, self.shuffle = whole("size", size), shuffle

    def _make(self, training, name):
        return engine.Loader(self._size(), self.batch_size, self.shuffle, self.drop_last, training, name)

    def _size(self):
        return self.size

    def loop(self, make):
        """Returns an iterator over one loop: it yields make(ids) for each micro-batch, where ids are the numbers of its samples.
        Return it from __iter__; a generator around it would not learn whether `break` or an exception ends the loop. The last
        micro-batch may be short. A replica without samples left gets sample numbers that do not count."""
        return _OwnLoop(self, make)

    @property
    def current_index(self):
        """Samples that the running loop has used, over all replicas and passes; None between loops."""
        return self._native.current_index

    @property
    def end_index(self):
        """The value of current_index at the end of the pass; None between loops."""
        return self._native.end_index


class _OwnLoop(Loop):
    def __init__(self, loader, make):
        self._batch_of = make
        super().__init__(loader)

    def _batch(self):
        batch = self._batch_of(self._at.data_pass.ids(self._at.number))
        self._at.data_ready()
        return batch


class AdaptiveDataLoaderMixin:
    """The calls of AdaptiveDataLoader for your own loader, on the helper `_elastic`:

        class Sentences(AdaptiveDataLoaderMixin):
            def __init__(self, corpus):
                super().__init__(32, size=len(corpus), shuffle=True)
                self.corpus = corpus

            def __iter__(self):
                return self._elastic.loop(lambda ids: pad([self.corpus[i] for i in ids]))
    """

    def __init__(self, batch_size=1, **kwargs):
        """The arguments are AdaptiveDataLoaderHelper's."""
        self._elastic = AdaptiveDataLoaderHelper(batch_size, **kwargs)

    def autoscale_batch_size(self, *args, **kwargs):
        """Does what AdaptiveDataLoader.autoscale_batch_size does."""
        self._elastic.autoscale_batch_size(*args, **kwargs)

    def scale_by_replicas(self, *args, **kwargs):
        """Does what AdaptiveDataLoader.scale_by_replicas does."""
        self._elastic.scale_by_replicas(*args, **kwargs)

    def to_tensorboard(self, writer, global_step, tag_prefix=""):
        """Does what AdaptiveDataLoader.to_tensorboard does."""
        self._elastic.to_tensorboard(writer, global_step, tag_prefix)

    @property
    def training(self):
        """False for validation; None: a loop under torch.no_grad() validates, any other trains."""
        return self._elastic.training

    @property
    def current_batch_size(self):
        """Samples of a step, over all replicas; None outside of its loop."""
        return self._elastic.current_batch_size

    @property
    def current_local_bsz(self):
        """Samples of a micro-batch on one replica; None outside of its loop."""
        return self._elastic.current_local_bsz

    @property
    def accumulation_steps(self):
        """Micro-batches of a step beyond the first."""
        return self._elastic.accumulation_steps


class AdaptiveDataLoader(AdaptiveDataLoaderHelper):
    """A torch.utils.data.DataLoader with a batch_size that is the total over all replicas, and may be adapted.

    `kwargs` are DataLoader's (num_workers, collate_fn, pin_memory, drop_last, worker_init_fn ..), except sampler and
    batch_sampler: the order is the ElasticSampler's. Loop over a training loader inside remaining_epochs_until; one loop runs
    at a time. training: None means that a loop under torch.no_grad() validates (no padding, no adaptation) and any other trains.

    dataset: one with __len__ and __getitem__, or an IterableDataset, which is a stream. A stream must yield the same samples in
    the same order on every replica and after a restart; each replica reads all of them and hands out its own. A loop over a stream
    is one pass, also with an adapted batch size. A restart in its middle continues from `dataset.skip(n)`, or reads the n samples
    again; Shards skips what it need not read.
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, *, training=None, **kwargs):
        if kwargs.get("sampler") is not None or kwargs.get("batch_sampler") is not None:
            raise ValueError("AdaptiveDataLoader has its own order: leave 'sampler' and 'batch_sampler' out")
        is_stream = isinstance(dataset, IterableDataset)
        if is_stream:
            stream.require(shuffle, kwargs)
        elif not all(hasattr(type(dataset), name) for name in ("__len__", "__getitem__")):
            raise ValueError("AdaptiveDataLoader takes samples by index, and a dataset of type "
                             f"{type(dataset).__name__} has none: give it one with __len__ and __getitem__, such as a list, or a "
                             "torch.utils.data.IterableDataset, whose __iter__ begins anew each time")
        super().__init__(batch_size, size=0 if is_stream else len(dataset), shuffle=shuffle, drop_last=kwargs.pop("drop_last", False),
                         training=training)
        self.dataset = dataset
        self._stream = stream.Stream(dataset) if is_stream else None
        self._batches = _PassBatches()
        kwargs["worker_init_fn"] = _SeededWorker(kwargs.get("worker_init_fn"), kwargs.get("num_workers", 0))
        self._loader = DataLoader(self._stream or dataset, batch_sampler=self._batches, **kwargs)

    def _make(self, training, name):
        if self._stream is None:
            return super()._make(training, name)
        return engine.Loader(0, self.batch_size, False, self.drop_last, training, name, self._stream.read)

    def _size(self):
        if self._stream is not None:
            raise TypeError(f"a stream, such as this {type(self.dataset).__name__}, has no length")
        return super()._size()

    def __iter__(self):
        """Returns one loop over the data: a pass, or with an adapted batch size as many passes as make the progress of one.

        Between two batches replicas may agree to checkpoint or to leave. A loop that is left by `break` is finished.
        """
        if self._stream is not None and current_dataloader() is None:
            self._stream.begin(current_epoch())
        return _DataLoop(self)


class _DataLoop(Loop):
    """Yields the batches of the passes, made by DataLoader."""

    _data_pass = _batches = None

    def _batch(self):
        loader = self._loader
        if self._at.data_pass is not self._data_pass:
            self._data_pass = loader._batches.data_pass = self._at.data_pass
            loader._batches.first = self._at.number
            self._batches = iter(loader._loader)
        batch = next(self._batches)
        self._at.data_ready()
        return batch


class _PassBatches:
    """The sample ids of a pass, a micro-batch at a time: DataLoader's batch_sampler."""

    data_pass = None
    first = 0  # micro-batch; above 0 only if the end of a stream was found in the middle of its pass

    def __iter__(self):
        data_pass = self.data_pass
        return (data_pass.ids(number) for number in range(self.first, data_pass.micro_batches))

    def __len__(self):
        return self.data_pass.micro_batches if self.data_pass else 0


class _SeededWorker:
    """Gives each worker of each replica its own random numbers."""

    def __init__(self, worker_init_fn, num_workers):
        self._init, self._workers = worker_init_fn, max(1, num_workers)

    def __call__(self, worker):
        seed = torch.initial_seed() + engine.replica_rank() * self._workers
        torch.manual_seed(seed)
        own_numbers.seed(seed)
        if self._init is not None:
            self._init(worker)
