// SPDX-License-Identifier: Apache-2.0
//
// The step that replicas begin with where their number has changed. Each step takes 10 ms, whatever its size,
// by a clock of the test's own.
#include <memory>
#include <utility>
#include <vector>

#include "adapt/metrics.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "device.h"
#include "generations.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Program;

class TestFirstStep : public QObject {
  Q_OBJECT

  static void train(const goodput::GradParams& gradient, std::int64_t batch_size = 10) {
    auto owned = std::make_unique<Device>();
    Device& device = *owned;
    set_timer(std::move(owned));
    AdaptiveDataLoaderHelper loader({.size = 40000, .batch_size = batch_size});
    loader.autoscale_batch_size(40000, {}, /*accumulation=*/false, /*single_gradient=*/true);
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = loader.loop(); !loop.done(); loop.advance()) {
        Program::say({{"batch", loader.current_batch_size()}});
        device.work(0.01);
        device.wait();
        metrics::commit_step({.gain = 1, .gradient = gradient});
      }
  }

  // Returns the sizes of the first steps on `to` replicas, after twenty steps of so many samples on `from`.
  static std::vector<int> first_steps(int from, int to, const goodput::GradParams& gradient,
                                      std::int64_t batch_size = 10) {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=20:stop","step=31:stop"])";
    program.run_replicas(from, [&] { train(gradient, batch_size); });
    const auto ended = program.run_replicas(to, [&] { train(gradient, batch_size); });
    std::vector<int> sizes;
    for (const auto& told : ended.front().said) sizes.push_back(told.at("batch"));
    return sizes;
  }

  static int first_on_four(const goodput::GradParams& gradient) { return first_steps(2, 4, gradient).at(0); }

 private Q_SLOTS:
  // Twenty steps cannot tell the noise: it may be 10,000 samples, or twelve.
  void it_more_than_doubles_only_where_the_noise_is_known() {
    QCOMPARE(first_on_four({.sqr = 0.01, .var = 10, .sqr_error = 5}), 20);
    QCOMPARE(first_on_four({.sqr = 0.01, .var = 10, .sqr_error = 0.001}), 40);
  }

  // Less noise than seemed: no step but the initial one is worth its samples.
  void it_may_be_smaller() { QCOMPARE(first_on_four({.sqr = 10, .var = 0.1, .sqr_error = 20}), 12); }

  // However surely the noise of one replica seems to be known.
  void after_one_replica_it_is_chosen_after_ten_steps() {
    const std::vector<int> sizes = first_steps(1, 2, {.sqr = 0.01, .var = 10, .sqr_error = 0.001});
    QCOMPARE(std::vector<int>(sizes.begin(), sizes.begin() + 10), std::vector<int>(10, 10));
    QCOMPARE(sizes.at(10), 40);
    // A step of a single sample, too.
    const std::vector<int> single = first_steps(1, 2, {.sqr = 0.01, .var = 10, .sqr_error = 0.001}, 1);
    QCOMPARE(std::vector<int>(single.begin(), single.begin() + 10), std::vector<int>(10, 2));
    QVERIFY(single.at(10) > 2);
  }

  // A checkpoint from before the first step says nothing of it.
  void where_none_was_made_before_it_is_the_initial_one() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    program.run([] {
      AdaptiveDataLoaderHelper loader({.size = 40000, .batch_size = 10});
      checkpoint::save_all_states("manual");
    });
    const auto ended = program.run_replicas(2, [] { train({.sqr = 0.01, .var = 10}); });
    QCOMPARE(ended.front().said.at(0).at("batch").get<int>(), 10);
  }
};

BATCHSCOPE_TEST(TestFirstStep)
#include "test_first_step.moc"
