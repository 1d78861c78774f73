// SPDX-License-Identifier: Apache-2.0
/// \file
/// For loaders of your own (AdaptDL's AdaptiveDataLoaderHelper and AdaptiveDataLoaderMixin): everything about
/// a loop over data except what a sample is. To the helper, samples are the numbers below `size`. It chooses
/// the size of a step, cuts passes into micro-batches, says which samples are this replica's, profiles,
/// agrees with the other replicas to checkpoint and to stop, ends the loop, and skips it on replay; the
/// loader turns sample numbers into whatever its batches are:
///
///     class Sentences : public AdaptiveDataLoaderMixin {
///      public:
///       explicit Sentences(const Corpus& corpus)
///           : AdaptiveDataLoaderMixin({.size = corpus.size(), .batch_size = 32, .shuffle = true}),
///             corpus_(corpus) {}
///       LoopIterator<Padded> begin() {
///         return {loop(), [this](const Loop& at) { return corpus_.pad(at.pass()->ids(at.number())); }};
///       }
///       std::default_sentinel_t end() const { return {}; }
///      private:
///       const Corpus& corpus_;
///     };
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "batchscope/replica/data_pass.h"

namespace batchscope {

namespace protocol {
class EventFile;
}
namespace replica {
class DataLoop;
struct LoaderCore;
}  // namespace replica

/// Samples of one replica's micro-batch.
struct LocalBatchBounds {
  std::int64_t minimum = 1;  ///< at least 1
  std::int64_t maximum = 0;  ///< 0: no bound but max_batch_size
};

/// The base of every loader. Not thread-safe.
class AdaptiveDataLoaderHelper {
 public:
  /// The order of a pass, where it is not the ElasticSampler's.
  using Order = DataOrder;
  /// How many samples, and in what steps and order.
  using Options = DataOptions;
  /// Reads data whose size is not known.
  using Stream = DataStream;

  /// Loads the state of the checkpoint where there is one; a helper is recognised by the order in which a
  /// program makes them. Throws Error(usage) for no samples, a batch size below 1, inside a loop, and where
  /// drop_last leaves nothing of the data. Collective.
  explicit AdaptiveDataLoaderHelper(Options options);
  ~AdaptiveDataLoaderHelper();

  /// Lets goodput choose the batch size, at every pass and a few times within a long one: at most
  /// max_batch_size in total, within the local bounds, and at most twice the largest that was seen; with
  /// accumulation also as several micro-batches per step. Ends an epoch by statistical progress instead of by
  /// samples. Throws Error(usage) for bounds that exclude the batch size.
  ///
  /// One replica without accumulation keeps its batch size (AdaptDL's rule), unless single_gradient lets it
  /// grow. That costs accuracy: with one gradient per step, the noise and the gain that multiplies the
  /// learning rate are guessed from the difference of two steps, and come out too large where the weights
  /// move fast. With accumulation a single replica measures them instead.
  void autoscale_batch_size(std::int64_t max_batch_size, LocalBatchBounds local = {},
                            bool accumulation = false, bool single_gradient = false);

  /// Lets the batch size follow the replicas instead: each takes `micro_batches` micro-batches of batch_size
  /// samples a step, so that the scale S is replicas * micro_batches, as in AdaScale's paper. until_progress:
  /// an epoch ends by statistical progress (Algorithm 2), else after one pass. Throws Error(usage) for fewer
  /// than one micro-batch, inside the loader's own loop, and for a validation loader.
  void scale_by_replicas(int micro_batches = 1, bool until_progress = true);

  std::int64_t current_batch_size() const;        ///< total per optimizer step
  std::int64_t current_local_batch_size() const;  ///< samples per replica and micro-batch
  int accumulation_steps() const;                 ///< micro-batches beyond the first

  bool training() const;  ///< false: for validation
  /// Returns the argument of autoscale_batch_size, or the size of the data where that is less; none before
  /// that call.
  std::optional<std::int64_t> max_batch_size() const;
  /// Returns the local bounds that it was given; without a maximum of its own: max_batch_size.
  LocalBatchBounds local_batch_size_bounds() const;
  /// Returns the samples of the running loop that are done, over all replicas and all its passes; none
  /// between loops.
  std::optional<std::int64_t> current_index() const;
  /// Returns the value of current_index at the end of the pass; none between loops, and in a stream.
  std::optional<std::int64_t> end_index() const;

  /// Writes Total_Batch_Size, Local_Batch_Size and Accumulation_Steps, AdaptDL's tags, below the prefix: one
  /// event into a file of the program's own, at this step of its own counting. The engine's own files need no
  /// call: ADAPTDL_TENSORBOARD_LOGDIR. Call it on one replica. Throws Error(io).
  void to_tensorboard(protocol::EventFile& writer, std::int64_t step, std::string_view prefix = {}) const;

  /// One loop over the data, a chain of passes (one, without autoscaling), at one of its micro-batches. It
  /// ends when it is over or when its last copy is destroyed. After a break it counts as finished; after an
  /// exception it does not, and when it is begun again it goes on where it was.
  class Loop {
   public:
    bool done() const;  ///< the loop is over
    /// Goes on to the next micro-batch. Settles the one before: with an optimizer step done, its samples
    /// count, and the replicas agree whether to checkpoint or to leave (with exit code 143). Collective.
    void advance();
    /// Tells that the batch of this micro-batch has been made, so that the time that it took is told apart in
    /// the series data_time. Without it only the time until advance() returned is. Never blocks.
    void data_ready();
    std::int64_t number() const;                          ///< of the micro-batch in its pass
    const std::shared_ptr<const DataPass>& pass() const;  ///< another object after every cut

   private:
    friend class AdaptiveDataLoaderHelper;
    std::shared_ptr<replica::DataLoop> loop_;
  };

  /// Begins a loop; training inside an epoch of remaining_epochs_until. The loop is done already where it was
  /// finished before a restart. Throws Error(usage) when another loop is still running. Collective.
  Loop loop();

 private:
  std::unique_ptr<replica::LoaderCore> core_;
};

/// The loader whose loop is running; null between loops.
const AdaptiveDataLoaderHelper* current_dataloader();

/// The interface that every loader offers; derive from it, and write begin() and end().
class AdaptiveDataLoaderMixin : protected AdaptiveDataLoaderHelper {
 public:
  using AdaptiveDataLoaderHelper::accumulation_steps;
  using AdaptiveDataLoaderHelper::autoscale_batch_size;
  using AdaptiveDataLoaderHelper::current_batch_size;
  using AdaptiveDataLoaderHelper::current_index;
  using AdaptiveDataLoaderHelper::current_local_batch_size;
  using AdaptiveDataLoaderHelper::end_index;
  using AdaptiveDataLoaderHelper::local_batch_size_bounds;
  using AdaptiveDataLoaderHelper::max_batch_size;
  using AdaptiveDataLoaderHelper::scale_by_replicas;
  using AdaptiveDataLoaderHelper::to_tensorboard;
  using AdaptiveDataLoaderHelper::training;

 protected:
  using AdaptiveDataLoaderHelper::AdaptiveDataLoaderHelper;
};

/// The iterator of a loader: gives what `make` makes of each micro-batch of the loop.
template <class Batch>
class LoopIterator {
 public:
  /// Members that std::input_iterator requires.
  ///@{
  using iterator_category = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  using pointer = Batch*;
  using reference = Batch&;
  ///@}
  /// A batch of the micro-batch that the loop is at.
  using Make = std::function<Batch(const AdaptiveDataLoaderHelper::Loop&)>;

  /// Begins at the loop's micro-batch, and makes its batch.
  LoopIterator(AdaptiveDataLoaderHelper::Loop loop, Make make)
      : at_(std::make_shared<Place>(std::move(loop), std::move(make))) {
    fetch();
  }
  Batch& operator*() const { return *at_->batch; }  ///< good until the next ++
  /// Goes on to the next batch. Collective. Ends the process with 143, after a checkpoint, where the replicas
  /// have agreed to stop.
  LoopIterator& operator++() {
    at_->loop.advance();
    fetch();
    return *this;
  }
  bool operator==(std::default_sentinel_t) const { return at_->loop.done(); }  ///< the loop is over

 private:
  struct Place {
    Place(AdaptiveDataLoaderHelper::Loop begun, Make maker)
        : loop(std::move(begun)), make(std::move(maker)) {}
    AdaptiveDataLoaderHelper::Loop loop;
    Make make;
    std::optional<Batch> batch;
  };
  void fetch() {
    if (at_->loop.done()) return;
    at_->batch = at_->make(at_->loop);
    at_->loop.data_ready();
  }

  std::shared_ptr<Place> at_;
};

}  // namespace batchscope
