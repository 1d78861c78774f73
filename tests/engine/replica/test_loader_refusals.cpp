// SPDX-License-Identifier: Apache-2.0
//
// Loaders, batch sizes and loops that cannot be, each refused with what is wrong.
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/epoch.h"
#include "generations.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::refusal;
using batchscope::testing::refusal_in_epoch;

class TestLoaderRefusals : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void loadersThatCannotBeAreRefused() {
    using Options = AdaptiveDataLoaderHelper::Options;
    const auto made = [](const Options& options) {
      return refusal([&] { AdaptiveDataLoaderHelper{options}; });
    };
    VERIFY_HOLDS(made({.size = 0}), "there is no data");
    VERIFY_HOLDS(made({.size = 1, .batch_size = 0}), "batch_size is 0, but must be at least 1");
    VERIFY_HOLDS(made({.size = 3, .batch_size = 4, .drop_last = true}),
                 "it has 3 samples, and a batch has 4");
    QCOMPARE(made({.size = 4, .batch_size = 4, .drop_last = true}), "nothing was thrown");
    QCOMPARE(made({.size = 1, .batch_size = 1}), "nothing was thrown");
    VERIFY_HOLDS(refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 3});
                   const auto loop = training.loop();
                   AdaptiveDataLoaderHelper({.size = 3});
                 }),
                 "made inside a loop over data");
    VERIFY_HOLDS(refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 3}), other({.size = 3});
                   const auto loop = training.loop();
                   other.loop();
                 }),
                 "a loop inside another loop over data");
    VERIFY_HOLDS(refusal([] {
                   AdaptiveDataLoaderHelper training({.size = 3});
                   training.loop();
                 }),
                 "training needs an epoch");
    VERIFY_HOLDS(refusal_in_epoch([] { remaining_epochs_until(2).begin(); }), "epoch loops cannot be nested");
    VERIFY_HOLDS(refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 3});
                   const auto loop = training.loop();
                   checkpoint::save_all_states("manual");
                 }),
                 "save_all_states() inside a loop over data");
    VERIFY_HOLDS(refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 3});
                   const auto loop = training.loop();
                   Accumulator<double>();
                 }),
                 "an Accumulator is made inside a loop");
  }

  void batchSizesThatCannotBeAreRefused() {
    const auto scaled = [](std::int64_t most, LocalBatchBounds local, bool accumulation = false) {
      return refusal([=] {
        AdaptiveDataLoaderHelper({.size = 100, .batch_size = 8})
            .autoscale_batch_size(most, local, accumulation);
      });
    };
    VERIFY_HOLDS(scaled(7, {}), "max_batch_size 7 is below the batch size 8");
    QCOMPARE(scaled(8, {}), "nothing was thrown");
    for (const auto& [least, most] : {std::pair(0, 32), {9, 32}, {5, 4}, {1, 7}})
      VERIFY_HOLDS(scaled(64, {least, most}), "the local bounds " + std::to_string(least) + ".." +
                                                  std::to_string(most) + " exclude the batch size 8");
    for (const auto& [least, most] : {std::pair(1, 8), {8, 8}})
      QCOMPARE(scaled(64, {least, most}), "nothing was thrown");
    QCOMPARE(scaled(64, {1, 7}, true), "nothing was thrown");
    QCOMPARE(scaled(64, {4, 4}, true), "nothing was thrown");
    const auto by_replicas = [](int micro_batches, bool training) {
      return refusal([=] {
        AdaptiveDataLoaderHelper({.size = 100, .training = training}).scale_by_replicas(micro_batches);
      });
    };
    VERIFY_HOLDS(by_replicas(0, true), "a step of 0 micro-batches");
    QCOMPARE(by_replicas(1, true), "nothing was thrown");
    VERIFY_HOLDS(by_replicas(1, false), "is for training loaders");
    VERIFY_HOLDS(
        refusal([] { AdaptiveDataLoaderHelper({.size = 100, .training = false}).autoscale_batch_size(8); }),
        "is for training loaders");
    VERIFY_HOLDS(refusal_in_epoch([] {
                   AdaptiveDataLoaderHelper training({.size = 3});
                   const auto loop = training.loop();
                   training.scale_by_replicas(1);
                 }),
                 "inside its own loop");
  }
};

BATCHSCOPE_TEST(TestLoaderRefusals)
#include "test_loader_refusals.moc"
