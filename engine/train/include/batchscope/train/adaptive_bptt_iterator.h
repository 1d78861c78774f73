// SPDX-License-Identifier: Apache-2.0
/// \file
/// AdaptiveBPTTIterator: batches of a text for back-propagation through time (AdaptDL's iterator.py). The
/// text is cut into windows of bptt_len tokens, and a batch of n columns holds n windows. Every replica has
/// columns of its own. From one batch to the next, a column goes on where it was in the text, so that a
/// recurrent network may carry its hidden state. With W windows and C columns (the local batch size times the
/// replicas), column c has the windows from about c*W/C to (c+1)*W/C; the micro-batches of a step are
/// successive windows of the same columns. One window of one column is one sample: all that
/// AdaptiveDataLoaderHelper says of samples, autoscaling, passes, accumulation, restarts and replay applies.
///
/// Every token but the first is a target exactly once in a pass, whatever the restarts: where the number of
/// columns changes in the middle of a pass, the windows that no column has reached yet are cut into the new
/// number of columns, in the order of the text. A new column may then jump over a part that an old one had
/// read. `continues` tells so, and tells where a pass begins:
///
///     for (auto& batch : iterator) {
///       const auto n = batch.continues.size(0);  // narrower only at the end of a pass
///       hidden = hidden.defined() ? hidden.narrow(1, 0, n).detach() * batch.continues.view({1, n, 1})
///                                 : torch::zeros({layers, n, size});
///       ...
///       loss = cross_entropy(output.flatten(0, 1), batch.target.flatten());
///     }
///
/// After a restart on the same number of replicas the columns go on, and so does a hidden state that the
/// program keeps in a State of its own; one that is not kept begins with zeros, as above.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "batchscope/replica/adaptive_data_loader_helper.h"

namespace batchscope {

/// One micro-batch of one replica.
struct TextBatch {
  at::Tensor data;  ///< tokens, int64 [bptt_len, n] ([n, bptt_len] with batch_first)
  at::Tensor
      target;  ///< the token that follows each; -100, which cross_entropy ignores, after the text's end
  at::Tensor continues;    ///< bool [n]: this column's window follows the one in the batch before
  std::int64_t count = 0;  ///< real windows: n, or 0 where the one column is padding to keep replicas aligned
  std::int64_t size() const { return count; }  ///< as count
};

/// A loader over one text. Not thread-safe.
class AdaptiveBPTTIterator : public AdaptiveDataLoaderMixin {
 public:
  /// How to cut the text.
  struct Options {
    std::int64_t batch_size = 1;  ///< windows per optimizer step, over all replicas
    std::int64_t bptt_len = 35;   ///< tokens of a window
    bool batch_first = false;     ///< batches of [n, bptt_len]
    bool drop_last = false;  ///< leave a short last row of columns out, so that all batches are of one shape
    bool training = true;    ///< false: for validation
    std::string name = {};   ///< DataOptions's
  };

  /// `tokens`: one dimension, integers; batches are made on its device. Throws Error(usage) for anything
  /// else, for fewer than two tokens, a bptt_len below 1, and what AdaptiveDataLoaderHelper refuses.
  /// Collective.
  AdaptiveBPTTIterator(const at::Tensor& tokens, const Options& options);

  /// One loop, as AdaptiveDataLoader's.
  LoopIterator<TextBatch> begin();
  std::default_sentinel_t end() const { return {}; }  ///< of any loop

 private:
  TextBatch batch(const DataPass& pass, std::int64_t number) const;

  at::Tensor tokens_;
  Options options_;
};

}  // namespace batchscope
