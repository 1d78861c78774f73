// SPDX-License-Identifier: Apache-2.0
//
// A replica that computes nothing: it meets the others, agrees with them and tells its steps as any program
// on engine/replica does, ten steps a second, so that what many replicas cost is the engine's own.
#include <chrono>
#include <istream>
#include <ostream>
#include <thread>
#include <vector>

#include "batchscope/replica.h"

namespace {

class Weights final : public batchscope::checkpoint::State {
 public:
  Weights() : State("weights") {}
  void save(std::ostream& out) override { out << value; }
  void load(std::istream& in) override { in >> value; }

  double value = 1;
};

}  // namespace

int main() {
  using namespace batchscope;
  using Clock = std::chrono::steady_clock;
  constexpr auto kStep = std::chrono::milliseconds(100);
  constexpr std::int64_t kBatch = 1024, kSteps = 32;
  init_replica();
  AdaptiveDataLoaderHelper loader({.size = kBatch * kSteps, .batch_size = kBatch});
  Weights weights;
  checkpoint::load_state(weights);
  GradientAverage average(1);
  auto next = Clock::now();  // the first step takes no time: a restart is measured apart from computing
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(1000000))
    for (auto loop = loader.loop(); !loop.done(); loop.advance()) {
      std::this_thread::sleep_until(next);
      next = std::max(next + kStep, Clock::now());
      std::vector<double> gradient{weights.value};
      record("loss", weights.value);
      const auto step = average.add(gradient);
      if (!step) continue;
      weights.value -= 1e-6 * step->gain * step->gradient[0];
      average.finish(1e-6 * step->gain);
    }
}
