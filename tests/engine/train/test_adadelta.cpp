// SPDX-License-Identifier: Apache-2.0
//
// Adadelta's steps as PyTorch's: recorded with torch.optim.Adadelta of Debian's python3-torch 1.13.1.
#include <ATen/ATen.h>
#include <torch/serialize.h>

#include <sstream>
#include <vector>

#include "batchscope/train/adadelta.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;

namespace {

at::Tensor parameter(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).set_requires_grad(true);
}

// Two groups, the second with options of its own.
struct TwoGroups {
  static torch::optim::OptimizerParamGroup second_group(const at::Tensor& parameter) {
    return {{parameter},
            std::make_unique<AdadeltaOptions>(AdadeltaOptions(0.5).rho(0.8).eps(1e-4).weight_decay(0.1))};
  }

  void step(int number) {
    optimizer.zero_grad();
    const at::Tensor slopes = at::tensor({1.0, 0.5, -2.0}, at::kDouble);
    ((first * slopes - number).square().sum() + (second.sin() * (1 + number)).sum()).backward();
    optimizer.step();
  }
  std::vector<double> values() const {
    const at::Tensor all = at::cat({first, second}).detach();
    return {all.data_ptr<double>(), all.data_ptr<double>() + all.numel()};
  }

  at::Tensor first = parameter({1, -2, 0.5}), second = parameter({3});
  Adadelta optimizer{{torch::optim::OptimizerParamGroup({first}), second_group(second)}};
};

constexpr int kSteps = 6;
const std::vector<double> kRecorded[kSteps] = {
    {0.99683772629267131, -1.9968377381511013, 0.49683772332804294, 3.0111744735862076},
    {0.99685263328105034, -1.9927977294895152, 0.49279947004964197, 3.0260130717863207},
    {1.0000971356789619, -1.9879297651706553, 0.48793515634406159, 3.0441150236810102},
    {1.004605061874791, -1.9822565801586947, 0.48226800701443834, 3.0653197296295227},
    {1.0100899094939007, -1.9757934309625238, 0.47581383548463246, 3.0895198794979057},
    {1.0164890882431192, -1.9685520209072083, 0.46858492838688548, 3.1166309108853385}};

bool all_equal(const std::vector<double>& is, const std::vector<double>& should) {
  for (std::size_t i = 0; i < should.size(); ++i)
    if (!(std::abs(is[i] - should[i]) <= 1e-12)) return false;
  return is.size() == should.size();
}

}  // namespace

class TestAdadelta : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsAsPyTorchs() {
    TwoGroups groups;
    for (int step = 0; step < kSteps; ++step) {
      groups.step(step);
      QVERIFY2(all_equal(groups.values(), kRecorded[step]), std::to_string(step).c_str());
    }
  }

  // Saves by torch::save and torch::load; in checkpoints: train.snapshot, train.sharded_optimizer.
  void goesOnFromWhatWasSaved() {
    TwoGroups one, other;
    for (int step = 0; step < 3; ++step) one.step(step);
    std::stringstream file;
    torch::save(one.optimizer, file);
    torch::load(other.optimizer, file);
    {
      const at::NoGradGuard no_grad;
      other.first.copy_(one.first);
      other.second.copy_(one.second);
    }
    for (int step = 3; step < kSteps; ++step) other.step(step);
    QVERIFY(all_equal(other.values(), kRecorded[kSteps - 1]));
  }

  void callsTheClosureOnce() {
    const at::Tensor one = parameter({1});
    Adadelta optimizer(std::vector{one}, AdadeltaOptions(2));
    int calls = 0;
    const at::Tensor loss = optimizer.step([&] {
      ++calls;
      at::Tensor loss = (one * 3).sum();
      loss.backward();
      return loss;
    });
    QCOMPARE(calls, 1);
    QCOMPARE(loss.item<double>(), 3.0);
    QVERIFY(std::abs(1 - one.item<double>() - 2 * 3 * std::sqrt(1e-6 / (0.1 * 9 + 1e-6))) < 1e-15);
  }

  void leavesAloneWhatHasNoGradient() {
    const at::Tensor with = parameter({1}), without = parameter({1});
    Adadelta optimizer({with, without});
    with.sum().backward();
    optimizer.step();
    QVERIFY(with.item<double>() < 1);
    QCOMPARE(without.item<double>(), 1.0);
    QCOMPARE(optimizer.state().size(), std::size_t{1});
  }

  void refusesNonsense() {
    const at::Tensor one = parameter({1});
    const auto make = [&](const AdadeltaOptions& options) { Adadelta(std::vector{one}, options); };
    VERIFY_THROWS("usage", "lr", make(AdadeltaOptions(-1)));
    VERIFY_THROWS("usage", "rho", make(AdadeltaOptions().rho(1.5)));
    VERIFY_THROWS("usage", "eps", make(AdadeltaOptions().eps(-1)));
    VERIFY_THROWS("usage", "weight_decay", make(AdadeltaOptions().weight_decay(-1)));
    at::Tensor table = at::zeros({2, 1}).set_requires_grad(true);
    Adadelta optimizer(std::vector{table});
    table.mutable_grad() = at::sparse_coo_tensor(at::zeros({1, 1}, at::kLong), at::ones({1, 1}), {2, 1});
    VERIFY_THROWS("usage", "sparse", optimizer.step());
  }
};

BATCHSCOPE_TEST(TestAdadelta)
#include "test_adadelta.moc"
