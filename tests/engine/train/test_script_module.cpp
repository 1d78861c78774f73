// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveDataParallel over modules that are not torch::nn's, and over several at once: a TorchScript module
// trains step for step as the same torch::nn layer does, each instance keeps a state of its own.
#include <torch/csrc/jit/api/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <QTemporaryDir>
#include <algorithm>

#include "adapt/metrics.h"
#include "batchscope/protocol/error.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "checkpoint/registry.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

// The layer's own weights, as TorchScript; a tied name and a buffer beside them.
torch::jit::Module scripted(const torch::nn::Linear& layer) {
  torch::jit::Module module("scripted");
  const at::Tensor weight = layer->weight.detach().clone().requires_grad_();
  module.register_parameter("weight", weight, /*is_buffer=*/false);
  module.register_parameter("tied", weight, /*is_buffer=*/false);
  module.register_parameter("bias", layer->bias.detach().clone().requires_grad_(), /*is_buffer=*/false);
  module.register_buffer("calls", at::zeros({1}));
  module.define("def forward(self, x):\n  self.calls += 1\n  return x.matmul(self.weight.t()) + self.bias\n");
  return module;
}

std::vector<at::Tensor> parameters_of(const torch::jit::Module& module) {
  return {module.attr("weight").toTensor(), module.attr("bias").toTensor()};
}

template <class Forward>
void train_module(AdaptiveDataParallel& adp, Forward forward) {
  for (int step = 0; step < 5; ++step) {
    adp.zero_grad();
    forward(at::arange(12, at::kFloat).view({4, 3}) / (10 + step)).pow(2).sum().backward();
    adp.step();
  }
}

}  // namespace

class TestScriptModule : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("ADAPTDL_CHECKPOINT_PATH", checkpoints_.path().toUtf8()); }

  void it_trains_as_the_same_layer_does() {
    torch::nn::Linear layer(3, 2);
    torch::jit::Module module = scripted(layer);
    torch::optim::SGD layer_sgd(layer->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
    torch::optim::SGD module_sgd(parameters_of(module), torch::optim::SGDOptions(0.01).momentum(0.9));
    AdaptiveDataParallel::Options first, second;
    first.name = "layer";
    second.name = "module";
    AdaptiveDataParallel layer_adp(*layer, layer_sgd, nullptr, first);
    AdaptiveDataParallel module_adp(module, module_sgd, nullptr, second);
    train_module(layer_adp, [&](const at::Tensor& x) { return layer->forward(x); });
    train_module(module_adp, [&](const at::Tensor& x) { return module.forward({x}).toTensor(); });
    QVERIFY(at::allclose(layer->weight, parameters_of(module)[0], 1e-6, 1e-7));
    QVERIFY(at::allclose(layer->bias, parameters_of(module)[1], 1e-6, 1e-7));
    QCOMPARE(layer_adp.gain(), module_adp.gain());
    QCOMPARE(module.attr("calls").toTensor().item<float>(), 5.0F);

    const auto files = snapshot_states();
    for (const char* name : {"layer", "module"})
      QVERIFY2(std::any_of(files.begin(), files.end(), [&](const auto& f) { return f.name == name; }), name);
  }

  void of_several_the_last_accounts_for_the_step() {
    torch::nn::Linear first(3, 2), second(3, 2);
    torch::optim::SGD first_sgd(first->parameters(), torch::optim::SGDOptions(0.01));
    torch::optim::SGD second_sgd(second->parameters(), torch::optim::SGDOptions(0.01));
    AdaptiveDataParallel::Options named;
    named.name = "first";
    AdaptiveDataParallel first_adp(*first, first_sgd, nullptr, named);
    AdaptiveDataParallel second_adp(*second, second_sgd);
    const auto steps = metrics::steps();
    const double progress = metrics::progress();
    train_module(first_adp, [&](const at::Tensor& x) { return first->forward(x); });
    QCOMPARE(metrics::steps(), steps);
    train_module(second_adp, [&](const at::Tensor& x) { return second->forward(x); });
    QCOMPARE(metrics::steps(), steps + 5);
    QVERIFY(metrics::progress() > progress);
    QVERIFY(first_adp.gain() >= 1);
  }

  void two_of_one_name_are_refused() {
    torch::nn::Linear layer(3, 2);
    torch::optim::SGD optimizer(layer->parameters(), torch::optim::SGDOptions(0.01));
    const AdaptiveDataParallel adp(*layer, optimizer);
    QVERIFY_EXCEPTION_THROWN(AdaptiveDataParallel(*layer, optimizer), Error);
  }

  void a_module_without_parameters_is_refused() {
    torch::jit::Module empty("empty");
    torch::nn::Linear layer(3, 2);
    torch::optim::SGD optimizer(layer->parameters(), torch::optim::SGDOptions(0.01));
    QVERIFY_EXCEPTION_THROWN(AdaptiveDataParallel(empty, optimizer), Error);
  }

 private:
  QTemporaryDir checkpoints_;
};

BATCHSCOPE_TEST(TestScriptModule)
#include "test_script_module.moc"
