// SPDX-License-Identifier: Apache-2.0
//
// Steps that keep their size though a larger or a smaller one would bring more: of loaders whose batch size
// nobody chooses, of branches, and while the noise is measured. And the smallest that there are.
#include <functional>
#include <memory>
#include <string>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/protocol/branch.h"
#include "batchscope/protocol/noise_estimates.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "device.h"
#include "generations.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Program;

class TestSteadySteps : public QObject {
  Q_OBJECT

  using Json = protocol::Json;

  // Trains forty steps of an epoch, in which a micro-batch takes as long whatever its size, and says the
  // samples of each.
  static void train(AdaptiveDataLoaderHelper& training, const goodput::GradParams& gradient) {
    auto owned = std::make_unique<Device>();
    Device& device = *owned;
    set_timer(std::move(owned));
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        device.work(0.125);
        device.wait();
        if (!step_context().optimizer_step) {
          metrics::end_micro_step();
          continue;
        }
        Program::say({step_context().samples, training.current_batch_size()});
        metrics::commit_step({.gain = 1, .gradient = gradient});
        if (metrics::steps() == 40) break;
      }
  }
  // "40 x [16,16]"
  static std::string sizes(const Program::Ended& ended) {
    std::string text;
    for (std::size_t at = 0, run = 0; at < ended.said.size(); at += run) {
      for (run = 1; at + run < ended.said.size() && ended.said[at + run] == ended.said[at];) ++run;
      text += (text.empty() ? "" : ", ") + std::to_string(run) + " x " + ended.said[at].dump();
    }
    return text;
  }
  static std::map<std::string, std::string> branch(std::int64_t batch_size, std::int64_t samples) {
    return {
        {protocol::variable::kBranch,
         protocol::Branch{
             .run = "run-1", .checkpoint = "checkpoint-000000", .batch_size = batch_size, .samples = samples}
             .text()}};
  }

  static constexpr goodput::GradParams kNoisy{1, 1000}, kCalm{1000, 1};

 private Q_SLOTS:
  // Half of each would be better here.
  void whereTheReplicasSayIt() {
    const auto ended = Program().run([] {
      AdaptiveDataLoaderHelper training({.size = 40 * 16, .batch_size = 8});
      training.scale_by_replicas(2, false);
      train(training, kCalm);
    });
    QCOMPARE(sizes(ended), "40 x [16,16]");
  }

  void ofABranch() {
    Program program;
    program.variables = branch(8, 40 * 8);
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 10'000, .batch_size = 8});
      training.autoscale_batch_size(64, {}, false, true);
      train(training, kNoisy);
    });
    QCOMPARE(sizes(ended), "40 x [8,8]");
  }

  // Ten micro-batches of the initial size.
  void whileTheNoiseIsMeasured() {
    Program program;
    program.variables[protocol::variable::kNoiseFile] = program.path("noise");
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 40 * 80, .batch_size = 8});
      training.autoscale_batch_size(64, {}, false, true);
      train(training, kNoisy);
    });
    QCOMPARE(sizes(ended), "40 x [80,80]");
  }

  // --- of a single sample ---

  void aBranchMayTakeASampleAtATime() {
    Program program;
    program.variables = branch(1, 3);
    QCOMPARE(sizes(program.run([] {
               AdaptiveDataLoaderHelper training({.size = 6, .batch_size = 2});
               train(training, kNoisy);
             })),
             "3 x [1,1]");
    Program in_parts;
    in_parts.variables = branch(2, 4);
    in_parts.variables[protocol::variable::kMaxLocalBatchSize] = "1";
    QCOMPARE(sizes(in_parts.run([] {
               AdaptiveDataLoaderHelper training({.size = 6, .batch_size = 1});
               train(training, kNoisy);
             })),
             "2 x [2,2]");
  }

  void aMicroBatchMayBeASample() {
    Program program;
    program.variables[protocol::variable::kMaxLocalBatchSize] = "16";  // memory holds more
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 100, .batch_size = 4});
      training.autoscale_batch_size(8, {1, 1}, true);
      Program::say({training.local_batch_size_bounds().maximum, training.current_local_batch_size(),
                    training.accumulation_steps()});
    });
    QCOMPARE(ended.said.at(0).dump(), "[1,1,3]");
  }
};

BATCHSCOPE_TEST(TestSteadySteps)
#include "test_steady_steps.moc"
