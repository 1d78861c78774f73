// SPDX-License-Identifier: Apache-2.0
//
// Options of an optimizer in a checkpoint: what a schedule has made of them goes on, and what a program says
// otherwise than the one that wrote the checkpoint counts.
#include "optimizer/optimizer_state.h"

#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <memory>
#include <sstream>
#include <vector>

#include "tensor/tensor_file.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::train;
namespace optim = torch::optim;

namespace {

optim::SGD sgd(double lr, double momentum) {
  return optim::SGD(std::vector<at::Tensor>{torch::ones(3)}, optim::SGDOptions(lr).momentum(momentum));
}

optim::SGDOptions& options(optim::SGD& optimizer) {
  return static_cast<optim::SGDOptions&>(optimizer.param_groups()[0].options());
}

// Loads as a program that begins with `optimizer` finds what another one has written.
void load(optim::Optimizer& optimizer, const std::string& bytes) {
  std::istringstream in(bytes);
  TensorReader file(in, "a checkpoint");
  load_optimizer(optimizer, file);
}

std::string saved(const optim::Optimizer& optimizer, const GroupOptions& given) {
  TensorWriter file;
  save_optimizer(optimizer, given, file);
  std::ostringstream out;
  file.write(out);
  return out.str();
}

}  // namespace

class TestOptimizerState : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatAScheduleHasMadeGoesOn() {
    optim::SGD before = sgd(0.1, 0.9), after = sgd(0.1, 0.9);
    const GroupOptions given = options_of(before);
    options(before).lr(0.025);
    load(after, saved(before, given));
    QCOMPARE(options(after).lr(), 0.025);
    QCOMPARE(options(after).momentum(), 0.9);
  }

  void whatTheProgramSaysOtherwiseCounts() {
    optim::SGD before = sgd(0.1, 0.9), after = sgd(0.4, 0.5);
    const GroupOptions given = options_of(before);
    options(before).lr(0.025);
    load(after, saved(before, given));
    QCOMPARE(options(after).lr(), 0.1);  // a quarter of what was given, as before
    QCOMPARE(options(after).momentum(), 0.5);
  }

  // Written by what did not keep what was given.
  void anOlderCheckpointCountsAsItIs() {
    optim::SGD before = sgd(0.1, 0.9), after = sgd(0.4, 0.5);
    load(after, saved(before, {}));
    QCOMPARE(options(after).lr(), 0.1);
    QCOMPARE(options(after).momentum(), 0.9);
  }

  void aRateThatWasZeroIsTheProgramsOwn() {
    optim::SGD before = sgd(0, 0.9), after = sgd(0.4, 0.9);
    load(after, saved(before, options_of(before)));
    QCOMPARE(options(after).lr(), 0.4);
  }

  void eachGroupForItself() {
    optim::Adam before(std::vector<at::Tensor>{torch::ones(2)}, optim::AdamOptions(0.1));
    optim::Adam after(std::vector<at::Tensor>{torch::ones(2)}, optim::AdamOptions(0.1));
    for (optim::Adam* each : {&before, &after})
      each->add_param_group(
          optim::OptimizerParamGroup({torch::ones(1)}, std::make_unique<optim::AdamOptions>(0.01)));
    const GroupOptions given = options_of(before);
    QCOMPARE(given.size(), 2u);
    QCOMPARE(given[1].at("lr"), 0.01);
    static_cast<optim::AdamOptions&>(after.param_groups()[1].options()).lr(0.02);
    load(after, saved(before, given));
    QCOMPARE(after.param_groups()[0].options().get_lr(), 0.1);
    QCOMPARE(after.param_groups()[1].options().get_lr(), 0.02);
  }

  void anotherOptimizerIsRefused() {
    optim::SGD before = sgd(0.1, 0.9);
    optim::Adam after(std::vector<at::Tensor>{torch::ones(3)}, optim::AdamOptions(0.1));
    VERIFY_THROWS("usage", "was made with SGD, but this program uses Adam", load(after, saved(before, {})));
  }
};

BATCHSCOPE_TEST(TestOptimizerState)
#include "test_optimizer_state.moc"
