// SPDX-License-Identifier: Apache-2.0
//
// Loops over epochs and data in one process: what they hand out, what ends them, what they refuse.
#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <atomic>
#include <numeric>
#include <set>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/error.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/process_group.h"
#include "batchscope/train/stream_data_loader.h"
#include "steps.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using testing::in_an_epoch;

namespace {

TensorDataset numbers(std::int64_t size) {
  const at::Tensor values = at::arange(size, at::kLong);
  return {values, values};
}

// The numbers below size, of each pass `times` at most.
class Stream : public StreamDataset {
 public:
  explicit Stream(std::int64_t size, int times = 100) : size_(size), times_(times) {}
  void begin(int, std::int64_t skipped) override { next_ = times_-- > 0 ? skipped : size_; }
  std::optional<StreamSample> next() override {
    if (next_ == size_) return std::nullopt;
    const at::Tensor number = at::scalar_tensor(next_++, at::kLong);
    return StreamSample{number, number};
  }

 private:
  std::int64_t size_, next_ = 0;
  int times_;
};

std::vector<std::int64_t> ids(const Batch& batch) {
  const auto* first = batch.data.data_ptr<std::int64_t>();
  return {first, first + batch.data.numel()};
}

}  // namespace

class TestLoop : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("ADAPTDL_CHECKPOINT_PATH", directory_.filePath("checkpoints").toUtf8());
    init_process_group();
  }

  void a_pass_hands_out_every_sample_once_and_shuffles_anew() {
    const TensorDataset dataset = numbers(25);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10, .shuffle = true});
    std::vector<std::vector<std::int64_t>> orders;
    for (int round = 0; round < 2; ++round)
      in_an_epoch([&] {
        std::vector<std::int64_t>& order = orders.emplace_back();
        std::vector<std::int64_t> sizes;
        for (const Batch& batch : loader) {
          sizes.push_back(batch.size());
          const auto got = ids(batch);
          order.insert(order.end(), got.begin(), got.end());
        }
        QCOMPARE(sizes, (std::vector<std::int64_t>{10, 10, 5}));
        QCOMPARE(std::set(order.begin(), order.end()).size(), 25u);
      });
    QVERIFY(orders[0] != orders[1]);
  }

  void a_stream_is_read_to_its_end_in_each_loop() {
    Stream stream(25);
    StreamDataLoader loader(stream, {.batch_size = 10}), whole(stream, {.batch_size = 10, .drop_last = true}),
        validation(stream, {.batch_size = 10, .training = false});
    const auto read = [](StreamDataLoader& from) {
      std::vector<std::int64_t> all;
      for (const Batch& batch : from)
        for (const std::int64_t id : ids(batch)) all.push_back(id);
      return all;
    };
    std::vector<std::int64_t> numbers(25);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (int round = 0; round < 2; ++round) {
      in_an_epoch([&] {
        QCOMPARE(read(loader), numbers);
        QCOMPARE(read(whole).size(), 20u);
      });
      QCOMPARE(read(validation), numbers);
    }
  }

  void a_stream_that_does_not_begin_anew_is_refused() {
    Stream stream(25, 1);
    StreamDataLoader loader(stream, {.batch_size = 10, .training = false});
    const auto read = [&] {
      for ([[maybe_unused]] const Batch& batch : loader) continue;
    };
    read();
    VERIFY_THROWS("usage", "the stream has no samples: let it start from its beginning", read());
    VERIFY_THROWS("usage", "batch_size is 0", StreamDataLoader(stream, {.batch_size = 0}));
  }

  // Sentences of different lengths, padded to the longest of their batch on the prefetching threads.
  void a_dataset_may_collate_as_it_likes() {
    struct Sentences final : Dataset {
      std::int64_t size() const override { return 40; }
      Batch collate(const std::vector<std::int64_t>& ids) const override {
        const auto rows = std::ssize(ids);
        const at::Tensor lengths = at::tensor(ids, at::kLong) + 1;
        const at::Tensor padded = at::arange(lengths.max().item<std::int64_t>()).expand({rows, -1});
        return {padded.masked_fill(padded >= lengths.unsqueeze(1), -1), lengths, rows};
      }
    } const sentences;
    AdaptiveDataLoader loader(sentences, {.batch_size = 7, .shuffle = true, .num_workers = 2});
    in_an_epoch([&] {
      std::set<std::int64_t> lengths;
      for (const Batch& batch : loader) {
        QVERIFY(at::equal((batch.data >= 0).sum(1), batch.target));
        QCOMPARE(batch.data.size(1), batch.target.max().item<std::int64_t>());
        QCOMPARE(batch.size(), batch.target.size(0));
        const auto* first = batch.target.data_ptr<std::int64_t>();
        lengths.insert(first, first + batch.target.numel());
      }
      QCOMPARE(lengths.size(), 40u);
    });
  }

  void drop_last_drops_and_refuses_to_drop_everything() {
    const TensorDataset dataset = numbers(25);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10, .drop_last = true, .num_workers = 2});
    in_an_epoch([&] {
      int batches = 0;
      for (const Batch& batch : loader) batches += batch.size() == 10;
      QCOMPARE(batches, 2);
    });
    QVERIFY_EXCEPTION_THROWN(AdaptiveDataLoader(dataset, {.batch_size = 26, .drop_last = true}), Error);
  }

  void an_epoch_by_progress_repeats_passes() {
    const TensorDataset dataset = numbers(20);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10});
    loader.autoscale_batch_size(20);
    in_an_epoch([&] {
      const double goal = 2.0 * (current_epoch() + 1);
      int batches = 0;
      for ([[maybe_unused]] const Batch& batch : loader) {
        ++batches;
        metrics::commit_step({.gain = std::max(0.25, (goal - metrics::progress()) / 4)});
      }
      QVERIFY(metrics::progress() >= goal);
      QVERIFY(batches > 2);
    });
  }

  void the_batch_may_follow_the_replicas() {
    const TensorDataset dataset = numbers(25);
    AdaptiveDataLoader loader(dataset, {.batch_size = 4});
    loader.scale_by_replicas(3);
    QCOMPARE(loader.current_batch_size(), 12);
    QCOMPARE(loader.accumulation_steps(), 2);
    const auto steps = [&](double gain) {
      std::vector<std::int64_t> samples;
      in_an_epoch([&] {
        for ([[maybe_unused]] const Batch& batch : loader) {
          QVERIFY(batch.size() <= 4);
          const StepContext& step = step_context();
          QCOMPARE(step.initial_batch_size, 4);
          if (!step.optimizer_step) continue;
          samples.push_back(step.samples);
          metrics::commit_step({.gain = gain});
        }
      });
      return samples;
    };
    const double goal = 25.0 / 4 * (finished_epochs() + 1);  // an epoch's own, whatever came before it
    const double left = goal - metrics::progress();
    QVERIFY(left > 0);
    QCOMPARE(steps(left / 3.5), (std::vector<std::int64_t>{12, 12, 1, 12}));  // by progress
    loader.scale_by_replicas(2, false);
    QCOMPARE(steps(1), (std::vector<std::int64_t>{8, 8, 8, 1}));  // one pass
    QVERIFY_EXCEPTION_THROWN(loader.scale_by_replicas(0), Error);
    AdaptiveDataLoader validation(dataset, {.batch_size = 4, .training = false});
    QVERIFY_EXCEPTION_THROWN(validation.scale_by_replicas(1), Error);
  }

  void the_step_context_says_how_a_step_is_accumulated() {
    const TensorDataset dataset = numbers(22);
    AdaptiveDataLoader loader(dataset, {.batch_size = 8});
    loader.autoscale_batch_size(8, {1, 4}, true);
    QCOMPARE(loader.current_batch_size(), 8);
    QCOMPARE(loader.accumulation_steps(), 1);
    in_an_epoch([&] {
      std::vector<std::int64_t> samples;
      std::vector<bool> even;
      for ([[maybe_unused]] const Batch& batch : loader) {
        const StepContext& step = step_context();
        QCOMPARE(step.initial_batch_size, 8);
        if (!step.optimizer_step) continue;
        samples.push_back(step.samples);
        even.push_back(step.even);
        metrics::commit_step({.gain = 100});
      }
      QCOMPARE(samples, (std::vector<std::int64_t>{8}));  // the gain ends the epoch by progress
      QCOMPARE(even, (std::vector<bool>{true}));
    });
    // Between loops a step is a plain one.
    QVERIFY(step_context().optimizer_step);
    QCOMPARE(step_context().accumulation_steps, 0);
  }

  void a_pass_without_steps_is_refused_under_autoscaling() {
    const TensorDataset dataset = numbers(20);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10});
    loader.autoscale_batch_size(20);
    const auto forgets_to_step = [&] {
      for ([[maybe_unused]] const Batch& batch : loader) {
      }
    };
    QVERIFY_EXCEPTION_THROWN(in_an_epoch(forgets_to_step), Error);
  }

  void bad_bounds_are_refused() {
    const TensorDataset dataset = numbers(20);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10});
    QVERIFY_EXCEPTION_THROWN(loader.autoscale_batch_size(9), Error);
    QVERIFY_EXCEPTION_THROWN(loader.autoscale_batch_size(20, {11, 20}), Error);
    QVERIFY_EXCEPTION_THROWN(loader.autoscale_batch_size(20, {1, 5}), Error);
    loader.autoscale_batch_size(20, {1, 5}, true);
    AdaptiveDataLoader validation(dataset, {.batch_size = 10, .training = false});
    QVERIFY_EXCEPTION_THROWN(validation.autoscale_batch_size(20), Error);
    QVERIFY_EXCEPTION_THROWN(AdaptiveDataLoader(numbers(0), {}), Error);
    QVERIFY_EXCEPTION_THROWN(AdaptiveDataLoader(dataset, {.batch_size = 0}), Error);
  }

  void a_loader_tells_its_bounds() {
    const TensorDataset dataset = numbers(60);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10});
    QVERIFY(loader.training());
    QVERIFY(!loader.max_batch_size());
    loader.autoscale_batch_size(40, {5, 20});
    QCOMPARE(loader.max_batch_size(), std::optional<std::int64_t>(40));
    QCOMPARE(loader.local_batch_size_bounds().minimum, 5);
    QCOMPARE(loader.local_batch_size_bounds().maximum, 20);
    loader.autoscale_batch_size(1000);
    QCOMPARE(loader.max_batch_size(), std::optional<std::int64_t>(60));
    QCOMPARE(loader.local_batch_size_bounds().maximum, 1000);
    const AdaptiveDataLoader validation(dataset, {.batch_size = 10, .training = false});
    QVERIFY(!validation.training());
  }

  void the_running_loop_tells_where_it_is() {
    const TensorDataset dataset = numbers(25);
    AdaptiveDataLoader training(dataset, {.batch_size = 10});
    AdaptiveDataLoader validation(dataset, {.batch_size = 20, .training = false});
    QVERIFY(!current_dataloader() && !training.current_index() && !training.end_index());
    in_an_epoch([&] {
      std::vector<std::int64_t> at;
      for ([[maybe_unused]] const Batch& batch : training) {
        QVERIFY(current_dataloader() && current_dataloader()->training());
        QCOMPARE(current_dataloader()->current_batch_size(), 10);
        QCOMPARE(training.end_index(), std::optional<std::int64_t>(25));
        at.push_back(*training.current_index());
        metrics::commit_step({});
      }
      QCOMPARE(at, (std::vector<std::int64_t>{0, 10, 20}));
      QVERIFY(!current_dataloader());
      for ([[maybe_unused]] const Batch& batch : validation) QVERIFY(!current_dataloader()->training());
    });
    QVERIFY(!current_dataloader() && !training.current_index());
  }

  void workers_are_as_they_are_asked_for() {
    const TensorDataset dataset = numbers(25);
    std::atomic<int> begun = 0;
    AdaptiveDataLoader loader(dataset, {.batch_size = 5,
                                        .num_workers = 1,
                                        .prefetch_factor = 3,
                                        .worker_init_fn = [&](int worker) { begun += 1 + worker; },
                                        .timeout = std::chrono::minutes(5)});
    for (int pass = 1; pass <= 2; ++pass)
      in_an_epoch([&] {
        int batches = 0;
        for (const Batch& batch : loader) batches += batch.size() == 5;
        QCOMPARE(batches, 5);
        QCOMPARE(begun.load(), pass);
      });
    const auto refused = [&](const AdaptiveDataLoader::Options& options, const char* part) {
      VERIFY_THROWS("usage", part, AdaptiveDataLoader(dataset, options));
    };
    refused({.num_workers = -1}, "num_workers");
    refused({.num_workers = 1, .prefetch_factor = 0}, "prefetch_factor");
    refused({.num_workers = 1, .timeout = std::chrono::seconds(-1)}, "timeout is negative");
    refused({.timeout = std::chrono::seconds(1)}, "set num_workers");
  }

  void loops_do_not_overlap() {
    const TensorDataset dataset = numbers(20);
    AdaptiveDataLoader outer(dataset, {.batch_size = 10}), inner(dataset, {.batch_size = 10});
    QVERIFY_EXCEPTION_THROWN(outer.begin(), Error);  // training outside of an epoch
    in_an_epoch([&] {
      for ([[maybe_unused]] const Batch& batch : outer) {
        QVERIFY_EXCEPTION_THROWN(inner.begin(), Error);
        QVERIFY_EXCEPTION_THROWN(Accumulator<>(), Error);
        QVERIFY_EXCEPTION_THROWN(checkpoint::save_all_states("manual"), Error);
      }
      QVERIFY_EXCEPTION_THROWN(remaining_epochs_until(1000).begin(), Error);
    });
  }

  void a_loader_may_be_used_outside_of_epochs_too() {
    const TensorDataset dataset = numbers(20);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10, .training = false});
    const auto batches = [&] {
      int count = 0;
      for ([[maybe_unused]] const Batch& batch : loader) ++count;
      return count;
    };
    for (int round = 0; round < 3; ++round) {
      QCOMPARE(batches(), 2);
      in_an_epoch([&] { QCOMPARE(batches(), 2); });
    }
    QCOMPARE(batches(), 2);
    QCOMPARE(batches(), 2);
  }

  void an_exception_finishes_neither_loop_nor_epoch() {
    const TensorDataset dataset = numbers(30);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10});
    const int before = finished_epochs();
    std::vector<std::int64_t> seen;
    const auto fails = [&] {
      for (const Batch& batch : loader) {
        if (seen.size() == 10) throw std::runtime_error("in the second batch");
        for (const std::int64_t id : ids(batch)) seen.push_back(id);
      }
    };
    QVERIFY_EXCEPTION_THROWN(in_an_epoch(fails), std::runtime_error);
    QCOMPARE(finished_epochs(), before);
    QCOMPARE(current_epoch(), -1);
    // Begun again, it goes on with the batch that failed.
    in_an_epoch([&] {
      QCOMPARE(current_epoch(), before);
      for (const Batch& batch : loader)
        for (const std::int64_t id : ids(batch)) seen.push_back(id);
    });
    QCOMPARE(finished_epochs(), before + 1);
    QCOMPARE(seen.size(), 30u);
    QCOMPARE(std::set(seen.begin(), seen.end()).size(), 30u);
  }

  void a_break_finishes_both() {
    const TensorDataset dataset = numbers(30);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10});
    const int before = finished_epochs();
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(before + 5)) {
      for ([[maybe_unused]] const Batch& batch : loader) break;
      break;
    }
    QCOMPARE(finished_epochs(), before + 1);
    in_an_epoch([&] {
      for (const Batch& batch : loader) {
        QCOMPARE(ids(batch).front(), 0);  // from the start, not shuffled
        break;
      }
    });
  }

  void an_accumulator_goes_on_until_it_is_cleared() {
    Accumulator sums;
    sums["a"] += 1;
    QCOMPARE(sums.synchronized().at("a"), 1.0);
    sums["a"] += 2;
    QCOMPARE(sums.synchronized().at("a"), 3.0);
    sums["a"] -= 4;
    sums.update({{"a", 0.5}, {"b", 2}});
    sums.subtract({{"b", 3}});
    QVERIFY(sums.synchronized() == (std::map<std::string, double>{{"a", -0.5}, {"b", -1}}));
    sums.clear();
    QVERIFY(sums.synchronized().empty());
  }

  void a_finished_loop_over_epochs_leaves_a_checkpoint() {
    in_an_epoch([] {});
    QVERIFY(!QDir(directory_.filePath("checkpoints")).isEmpty());
  }

  void states_need_names_of_their_own() {
    struct Nothing : checkpoint::State {
      using State::State;
      void save(std::ostream&) override {}
      void load(std::istream&) override {}
    };
    const Nothing one("one");
    QVERIFY_EXCEPTION_THROWN(Nothing("one"), Error);
    QVERIFY_EXCEPTION_THROWN(Nothing("a/b"), Error);
    QVERIFY_EXCEPTION_THROWN(Nothing("manifest.json"), Error);
    QVERIFY_EXCEPTION_THROWN(Nothing(""), Error);
  }

  void tensor_datasets_need_matching_rows() {
    QVERIFY_EXCEPTION_THROWN(TensorDataset(at::zeros({3, 2}), at::zeros({4})), Error);
    const TensorDataset dataset(at::arange(6).reshape({3, 2}), at::arange(3));
    const Batch batch = dataset.collate({2, 0});
    QVERIFY(at::equal(batch.data, at::tensor({4, 5, 0, 1}, at::kLong).reshape({2, 2})));
    QVERIFY(at::equal(batch.target, at::tensor({2, 0}, at::kLong)));
  }
};

BATCHSCOPE_TEST(TestLoop)
#include "test_loop.moc"
