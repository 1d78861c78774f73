// SPDX-License-Identifier: Apache-2.0
//
// Two epochs of 53 samples, summed up in training, between the loops and in validation. The first argument
// says where to raise SIGTERM: STEP:RANK, or eEPOCHvBATCH:RANK in validation. Prints the sums at the end.
#include <ATen/ATen.h>
#include <signal.h>

#include <algorithm>
#include <string>

#include "adapt/metrics.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "replica_main.h"
#include "train_replica.h"

namespace batchscope::testing::accumulator_program {

using namespace replica;

namespace {

constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;

protocol::Json work(const std::string& signal_at) {
  const auto here = [&](const std::string& place) {
    if (signal_at == place + ":" + std::to_string(replica_rank())) raise(SIGTERM);
  };
  const at::Tensor ids = at::arange(53);
  const TensorDataset numbers(ids, ids);
  AdaptiveDataLoader training(numbers, {.batch_size = 10, .shuffle = true});
  AdaptiveDataLoader validation(numbers, {.batch_size = 10, .training = false});
  Accumulator<std::int64_t> counts({{"given", 7}});
  Accumulator<std::vector<double>> spread;
  for (const int epoch : remaining_epochs_until(2)) {
    for (const Batch& batch : training) {
      counts["seen"] += kLarge * batch.size();
      for (std::int64_t i = 0; i < batch.size(); ++i) {
        std::vector<double> one(static_cast<std::size_t>(batch.data[i].item<std::int64_t>()) + 1);
        one.back() = 1;
        spread += {{"ids", one}};
      }
      here(std::to_string(metrics::steps() + 1));
      metrics::commit_step({});
    }
    if (replica_rank() == 0) counts["epochs"] += 1;
    counts.synchronized([](auto& total) { total["scopes"] += 1; });
    if (replica_rank() == 0) counts["between"] += 1;  // nothing is synchronized behind it
    int number = 0;
    for (const Batch& batch : validation) {
      counts["validated"] += batch.size();
      here("e" + std::to_string(epoch) + "v" + std::to_string(++number));
    }
  }
  return {{"counts", counts.synchronized()}, {"spread", spread.synchronized().at("ids")}};
}

}  // namespace

int run(int argc, char** arguments) {
  return replica_main([&] { return work(argc > 1 ? arguments[1] : ""); });
}

}  // namespace batchscope::testing::accumulator_program
