// SPDX-License-Identifier: Apache-2.0
//
// A store as it is after years of work: 1,000 runs of 10 series and 10,000 steps, one of them of ten million:
// 200 million samples, 2.0 GB. So many steps are committed at a time that they go straight into chunks.
//   big_store make [N] writes it where BATCHSCOPE_DB says, with a share of 1 in N of its steps
//   big_store zoom   seconds that a chart needs for a zoom into the long run: 8 series at 2,000 columns, each
//                    range half as long as the one before, at another place; one number a line
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/storage.h"
#include "bench.h"

namespace bench = batchscope::bench;
namespace protocol = batchscope::protocol;
namespace series = batchscope::protocol::series;
using namespace batchscope::storage;

namespace {

constexpr int kRuns = 1'000;
constexpr std::int64_t kSteps = 10'000, kLongSteps = 10'010'000;
constexpr std::int64_t kStepsPerCommit = 20'000;
constexpr int kColumns = 2'000;
constexpr char kLong[] = "long";
constexpr std::array kSeries{series::kTime,     series::kLoss,        series::kGain,       series::kBatchSize,
                             series::kReplicas, series::kProgress,    series::kThroughput, series::kGoodput,
                             series::kStepTime, series::kLearningRate};

double value_at(std::size_t which, double begun, std::int64_t step, double noise) {
  const auto x = static_cast<double>(step);
  if (which == 0) return begun + 0.1 * x;
  return (1 + static_cast<double>(which)) * (400 / (x + 400) + 0.1 * noise + 1);
}

void write_run(Catalogue& catalogue, int number, const std::string& name, std::int64_t steps) {
  protocol::RunSpec spec;
  spec.name = name;
  spec.program = "/usr/bin/true";
  const std::string id = catalogue.create_run(spec);
  const protocol::RunPaths paths = protocol::run_paths(id);
  std::minstd_rand random(static_cast<unsigned>(number) + 1);
  std::uniform_real_distribution<double> noise(-1, 1);
  const double begun = 1.7e9 + 1e4 * number;
  std::map<std::string, double> latest;
  {
    SampleWriter writer(paths.samples);
    std::vector<double> values;
    for (std::int64_t step = 1; step <= steps; step += kStepsPerCommit) {
      for (std::size_t which = 0; which < kSeries.size(); ++which) {
        values.clear();
        for (std::int64_t at = step; at < std::min(step + kStepsPerCommit, steps + 1); ++at)
          values.push_back(value_at(which, begun, at, noise(random)));
        writer.append(0, kSeries[which], step, values);
        latest[kSeries[which]] = values.back();
      }
      writer.commit();
    }
  }
  Generation generation;
  generation.replicas = 1 + number % 4;
  generation.reason = "start";
  generation.started = begun;
  generation.ended = latest[series::kTime];
  generation.first_step = 1;
  generation.last_step = steps;
  generation.outcome = "finished";
  catalogue.put_generation(id, generation);
  latest[series::kAccuracy] = 0.9 + 0.1 * number / kRuns;
  catalogue.set_progress(id, steps, 3, 3, 1, latest);
  catalogue.set_tags(id, {number % 2 ? "odd" : "even", "decade-" + std::to_string(number / 100)});
  catalogue.put_hyperparameters(id, {{"lr", "0.05"}, {"batch_size", "64"}, {"seed", std::to_string(number)}});
  catalogue.set_state(id, RunState::finished);
}

void make(std::int64_t share) {
  Catalogue catalogue(protocol::catalogue_path());
  for (int number = 0; number < kRuns; ++number)
    write_run(catalogue, number, number == kRuns - 1 ? kLong : "run-" + std::to_string(number),
              (number == kRuns - 1 ? kLongSteps : kSteps) / share);
}

void zoom() {
  const Run run = Catalogue(protocol::catalogue_path()).resolve(kLong);
  SampleReader reader(protocol::run_paths(run.id).samples);
  std::mt19937_64 random(1);
  for (std::int64_t length = run.step; length > kColumns; length /= 2) {
    const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(run.step - length + 1));
    std::printf("%.6f\n", bench::seconds(1, [&] {
                  for (std::size_t which = 1; which < 9; ++which)
                    bench::keep(reader.summarize(kSeries[which], 0, from, from + length, kColumns));
                }));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc >= 2 ? argv[1] : "";
  if (what == "make") {
    make(argc == 3 ? std::max(1, std::atoi(argv[2])) : 1);
  } else if (what == "zoom") {
    zoom();
  } else {
    std::fprintf(stderr, "usage: big_store make [N]|zoom\n");
    return 2;
  }
}
