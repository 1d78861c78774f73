// SPDX-License-Identifier: Apache-2.0
//
// The training of torch_twin.py, in C++; its first lines say how both are called and what they print.
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/lr_scheduler.h"
#include "golden_model.h"
#include "replica_main.h"
#include "steps.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const Json& settings, GoldenModel& model) {
  if (settings["optimizer"] == "adam")
    return std::make_unique<torch::optim::Adam>(model.parameters(), torch::optim::AdamOptions(0.01));
  return std::make_unique<torch::optim::SGD>(model.parameters(),
                                             torch::optim::SGDOptions(0.05).momentum(0.9));
}

Json train(const Json& settings, const Json& data) {
  GoldenModel model(data["weights"]);
  const TensorDataset dataset(rows(data["x"]), tensor(data["y"]));
  AdaptiveDataLoader loader(dataset, {.batch_size = 8, .shuffle = true});
  loader.scale_by_replicas(settings["micro_batches"], false);
  const auto optimizer = make_optimizer(settings, model);
  StepLR schedule(*optimizer, 1, 0.8);
  AdaptiveDataParallel adp(model, *optimizer, &schedule);
  Json losses = Json::array(), steps = Json::array();
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(settings["epochs"])) {
    for (Batch& batch : loader) {
      adp.zero_grad();
      const at::Tensor output = model.second(at::tanh(model.first(batch.data)));
      const at::Tensor loss = (output.squeeze(1) - batch.target).square().mean();
      loss.backward();
      adp.step();
      losses.push_back(loss.item<double>());
      steps.push_back(
          {adp.gain(), adp.lr_factor(), adp.progress(), adp.noise_scale().sqr(), adp.noise_scale().var()});
    }
    schedule.step();
  }
  return {{"losses", losses}, {"steps", steps}, {"weights", contents(model.parameters())}};
}

}  // namespace

int main(int, char** arguments) {
  const Json settings = protocol::parse_object(arguments[1]);
  std::ifstream file(settings["data"].get<std::string>());
  const Json data = Json::parse(file);
  return replica_main([&] { return train(settings, data); });
}
