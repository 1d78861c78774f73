// SPDX-License-Identifier: Apache-2.0
//
// The loader's speed against the same gather by hand: 28x28 images, batches of 64, the same shuffled rows
// into fresh tensors. What the loader does besides (cutting the pass, agreeing, settling) must stay small
// against that.
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/rand.h>
#include <stdlib.h>
#include <time.h>

#include <filesystem>

#include "batchscope/replica/elastic_sampler.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/process_group.h"
#include "bench.h"

using namespace batchscope;

namespace {

constexpr std::int64_t kImages = 12'000, kBatch = 64;

template <typename Function>
double processor_seconds(Function function) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  function();
  return now() - begin;
}

double by_hand(const at::Tensor& images, const at::Tensor& labels, std::vector<std::int64_t> order) {
  return processor_seconds([&] {
    for (std::int64_t from = 0; from < kImages; from += kBatch) {
      const at::Tensor rows =
          at::from_blob(order.data() + from, {std::min(kBatch, kImages - from)}, at::kLong);
      bench::keep(at::index_select(images, 0, rows));
      bench::keep(at::index_select(labels, 0, rows));
    }
  });
}

double by_loader(AdaptiveDataLoader& loader) {
  return processor_seconds([&] {
    for (Batch& batch : loader) bench::keep(batch);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::string directory = std::filesystem::temp_directory_path() / "bench-loader-XXXXXX";
  if (!mkdtemp(directory.data())) return 1;
  setenv("ADAPTDL_CHECKPOINT_PATH", directory.c_str(), 1);
  setenv("BATCHSCOPE_THREADS", "1", 1);
  init_process_group();
  const at::Tensor images = at::rand({kImages, 28 * 28}), labels = at::arange(kImages);
  const TensorDataset dataset(images, labels);
  AdaptiveDataLoader loader(dataset, {.batch_size = kBatch, .shuffle = true, .training = false});
  int result = 0;
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
    const bench::Measure measure{"loader.digits", "ratio", 0.9,
                                 [&] {
                                   const auto order = ElasticSampler::permutation(kImages, 0, 0, true);
                                   const double loop = by_loader(loader);
                                   return by_hand(images, labels, order) / loop;
                                 },
                                 false};
    result = bench::run(argc, argv, {measure});
  }
  std::filesystem::remove_all(directory);
  return result;
}
