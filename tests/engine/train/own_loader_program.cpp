// SPDX-License-Identifier: Apache-2.0
//
// A training program with a loader of its own, as a user would write one on AdaptiveDataLoaderMixin, or with
// --bptt a text, or with --stream or --shards a stream. Prints what it was given, a JSON object a line;
// --signal STEP:RANK raises SIGTERM there.
#include <ATen/ATen.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_bptt_iterator.h"
#include "batchscope/train/process_group.h"
#include "batchscope/train/shards.h"
#include "batchscope/train/stream_data_loader.h"
#include "train_replica.h"

namespace batchscope::testing::own_loader_program {

using namespace replica;
using protocol::Json;

namespace {

// Words of growing length, read in an order of its own: from the last to the first in odd epochs.
class Words : public AdaptiveDataLoaderMixin {
 public:
  explicit Words(std::int64_t size)
      : AdaptiveDataLoaderMixin({.size = size, .batch_size = 12, .order = order(size)}) {}

  LoopIterator<std::vector<std::string>> begin() {
    return {loop(), [](const Loop& loop) {
              std::vector<std::string> words;
              if (loop.pass()->count(loop.number()) > 0)
                for (const std::int64_t id : loop.pass()->ids(loop.number()))
                  words.emplace_back(static_cast<std::size_t>(id), 'x');
              return words;
            }};
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  static Order order(std::int64_t size) {
    return [size](int epoch, std::int64_t, const std::vector<Cut>&) {
      std::vector<std::int64_t> ids;
      for (std::int64_t id = 0; id < size; ++id) ids.push_back(epoch % 2 ? size - 1 - id : id);
      return ids;
    };
  }
};

// The numbers below size, of which --size says how many: in odd epochs from the last to the first.
class Numbers : public StreamDataset {
 public:
  explicit Numbers(std::int64_t size) : size_(size) {}
  void begin(int epoch, std::int64_t skipped) override {
    is_backwards_ = epoch % 2 == 1;
    next_ = skipped;
  }
  std::optional<StreamSample> next() override {
    if (next_ == size_) return std::nullopt;
    const std::int64_t number = is_backwards_ ? size_ - 1 - next_ : next_;
    ++next_;
    return StreamSample{at::scalar_tensor(number, at::kLong), at::scalar_tensor(2 * number, at::kLong)};
  }

 private:
  std::int64_t size_, next_ = 0;
  bool is_backwards_ = false;
};

// The same samples in ten shards of 1, 3, 5 .. samples; says which it opens.
class NumbersInShards : public Shards {
 public:
  NumbersInShards() : Shards(10, true) {}
  void open(std::int64_t shard) override {
    std::cout << Json{{"opened", shard}, {"epoch", current_epoch()}}.dump() + "\n" << std::flush;
    next_ = shard * shard;
    end_ = (shard + 1) * (shard + 1);
  }
  std::optional<StreamSample> read() override {
    if (next_ == end_) return std::nullopt;
    const std::int64_t number = next_++;
    return StreamSample{at::scalar_tensor(number, at::kLong), at::scalar_tensor(2 * number, at::kLong)};
  }

 private:
  std::int64_t next_ = 0, end_ = 0;
};

std::string signal_at;

void step(Json line) {
  line["rank"] = replica_rank();
  line["epoch"] = current_epoch();
  line["optimizer_step"] = step_context().optimizer_step;
  std::cout << line.dump() + "\n" << std::flush;
  if (!step_context().optimizer_step) return metrics::end_micro_step();
  if (signal_at == std::to_string(metrics::steps() + 1) + ":" + std::to_string(replica_rank()))
    raise(SIGTERM);
  metrics::commit_step({.gain = 1, .gradient = {1, 100}});
}

Json list(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.to(at::kLong).contiguous();
  return std::vector(flat.data_ptr<std::int64_t>(), flat.data_ptr<std::int64_t>() + flat.numel());
}

void read_words(std::int64_t size, bool accumulation) {
  Words words(size);
  if (accumulation) words.autoscale_batch_size(12, {1, 2}, true);
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(2))
    for (const auto& batch : words) {
      Json lengths = Json::array();
      for (const std::string& word : batch) lengths.push_back(word.size());
      step({{"ids", lengths}, {"batch_size", words.current_batch_size()}});
    }
}

void read_stream(StreamDataset& numbers, bool accumulation) {
  StreamDataLoader loader(numbers, {.batch_size = 12});
  if (accumulation) loader.autoscale_batch_size(12, {1, 2}, true);
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(2))
    for (const Batch& batch : loader) {
      if (!at::equal(2 * batch.data, batch.target)) throw Error(ErrorKind::failure, "samples are torn apart");
      step({{"ids", batch.count > 0 ? list(batch.data) : Json::array()},
            {"batch_size", loader.current_batch_size()}});
    }
}

void read_text() {
  AdaptiveBPTTIterator text(at::arange(508), {.batch_size = 6, .bptt_len = 5});
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
    for (const TextBatch& batch : text)
      step({{"first", list(batch.data[0])},
            {"continues", list(batch.continues)},
            {"targets", list(batch.count > 0 ? batch.target : at::empty({0}))}});
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("a loader of its own");
  bool bptt = false, stream = false, shards = false, accumulation = false;
  std::int64_t size = 100;
  app.add_flag("--bptt", bptt);
  app.add_flag("--stream", stream);
  app.add_flag("--shards", shards);
  app.add_flag("--accumulate", accumulation);
  app.add_option("--size", size);
  app.add_option("--signal", signal_at);
  CLI11_PARSE(app, argc, argv);
  try {
    init_process_group({.timeout = std::chrono::seconds(20)});
    if (bptt) {
      read_text();
    } else if (stream) {
      Numbers numbers(size);
      read_stream(numbers, accumulation);
    } else if (shards) {
      NumbersInShards numbers;
      read_stream(numbers, accumulation);
    } else {
      read_words(size, accumulation);
    }
    std::cout << Json{{"steps", metrics::steps()}, {"samples", metrics::samples()}}.dump() << '\n';
  } catch (const Error& e) {
    std::cerr << e.what() << '\n';
    return exit_code(e.kind());
  }
  return 0;
}

}  // namespace batchscope::testing::own_loader_program
