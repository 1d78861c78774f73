// SPDX-License-Identifier: Apache-2.0
//
// The step that replicas begin with where their number has changed. Each step takes 10 ms, whatever its size,
// by a clock of the test's own.
#include <memory>
#include <utility>

#include "adapt/metrics.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "device.h"
#include "generations.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Program;

class TestFirstStep : public QObject {
  Q_OBJECT

  static void train(const goodput::GradParams& gradient) {
    auto owned = std::make_unique<Device>();
    Device& device = *owned;
    set_timer(std::move(owned));
    AdaptiveDataLoaderHelper loader({.size = 40000, .batch_size = 10});
    loader.autoscale_batch_size(40000, {}, /*accumulation=*/false, /*single_gradient=*/true);
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = loader.loop(); !loop.done(); loop.advance()) {
        Program::say({{"batch", loader.current_batch_size()}});
        device.work(0.01);
        device.wait();
        metrics::commit_step({.gain = 1, .gradient = gradient});
      }
  }

  // Returns the first step's size on two replicas, after twenty steps of ten samples on one.
  static int first_on_two(const goodput::GradParams& gradient) {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=20:stop","step=21:stop"])";
    program.run([&] { train(gradient); });
    const auto ended = program.run_replicas(2, [&] { train(gradient); });
    return ended.front().said.at(0).at("batch");
  }

 private Q_SLOTS:
  // Twenty steps cannot tell the noise: it may be 10,000 samples, or twelve.
  void it_more_than_doubles_only_where_the_noise_is_known() {
    QCOMPARE(first_on_two({.sqr = 0.01, .var = 10, .sqr_error = 5}), 20);
    QCOMPARE(first_on_two({.sqr = 0.01, .var = 10, .sqr_error = 0.001}), 40);
  }

  // Less noise than seemed: no step but the initial one is worth its samples.
  void it_may_be_smaller() { QCOMPARE(first_on_two({.sqr = 10, .var = 0.1, .sqr_error = 20}), 10); }
};

BATCHSCOPE_TEST(TestFirstStep)
#include "test_first_step.moc"
