// SPDX-License-Identifier: Apache-2.0
//
// The batch size within a pass, where noise is so large that a step is worth its samples: a step of up to 20
// takes 2 ms, a larger one 20, by a clock of the test's own. In a process of its own, whose profile has no
// other steps in it.
#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <memory>
#include <set>
#include <utility>

#include "adapt/metrics.h"
#include "adapt/timer.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/process_group.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

double worked = 0;  // s

struct Clock final : Timer {
  Moment now() override { return {worked, nullptr}; }
  double seconds(const Interval& interval) override { return interval.to.seconds - interval.from.seconds; }
  bool at_once() const override { return true; }
};

}  // namespace

class TestBatchSize : public QObject {
  Q_OBJECT

  static constexpr std::int64_t kSamples = 4000;
  QTemporaryDir directory_;
  std::vector<std::pair<std::int64_t, int>> sizes_;  // in their order, and how many steps each was kept
  std::multiset<std::int64_t> seen_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("ADAPTDL_CHECKPOINT_PATH", directory_.filePath("checkpoints").toUtf8());
    init_process_group();
    set_timer(std::make_unique<Clock>());
    const at::Tensor values = at::arange(kSamples, at::kLong);
    const TensorDataset dataset(values, values);
    AdaptiveDataLoader loader(dataset, {.batch_size = 10, .shuffle = true});
    loader.autoscale_batch_size(kSamples, {}, /*accumulation=*/false, /*single_gradient=*/true);
    testing::in_an_epoch([&] {
      for (const Batch& batch : loader) {
        const auto* ids = batch.data.data_ptr<std::int64_t>();
        seen_.insert(ids, ids + batch.data.numel());
        if (sizes_.empty() || sizes_.back().first != loader.current_batch_size())
          sizes_.emplace_back(loader.current_batch_size(), 0);
        ++sizes_.back().second;
        worked += batch.size() <= 20 ? 0.002 : 0.02;
        // The epoch ends with the pass.
        const bool last = seen_.size() == kSamples;
        metrics::commit_step({.gain = last ? kSamples / 10.0 : 0.001, .gradient = {1, 1000}});
      }
    });
  }

  void each_sample_comes_once() {
    QCOMPARE(seen_.size(), std::size_t(kSamples));
    QCOMPARE(std::set(seen_.begin(), seen_.end()).size(), std::size_t(kSamples));
  }

  void it_at_most_doubles() {
    QVERIFY(sizes_.size() > 2);
    QCOMPARE(sizes_[0], (std::pair<std::int64_t, int>{10, 30}));
    QCOMPARE(sizes_[1], (std::pair<std::int64_t, int>{20, 30}));
    QCOMPARE(sizes_[2], (std::pair<std::int64_t, int>{40, 30}));
  }

  void what_brings_less_is_left_and_kept_away_from() {
    QVERIFY(sizes_.size() > 3);
    QCOMPARE(sizes_[3].first, std::int64_t{20});
    for (std::size_t i = 4; i < sizes_.size(); ++i) QVERIFY(sizes_[i].first <= 28);
  }
};

BATCHSCOPE_TEST(TestBatchSize)
#include "test_batch_size.moc"
