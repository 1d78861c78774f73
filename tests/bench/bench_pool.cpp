// SPDX-License-Identifier: Apache-2.0
//
// Seconds of one decision of the pool: jobs of all ages with fitted models, half of which have devices, on
// nodes of 4. As AdaptDL's scheduler does, a job's speed-ups are remembered as long as its model is the same;
// pool.16x64.models is the same with models that are all new. Twice the largest count profiled is 16, so that
// 16 jobs compete for all of the 64 devices.
#include <memory>
#include <random>
#include <string>

#include "batchscope/goodput/speedup.h"
#include "batchscope/policy/decision.h"
#include "bench.h"

using namespace batchscope;

namespace {

goodput::SpeedupFunction random_model(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0.2, 1);
  const double compute = 0.1 * unit(random), network = 0.05 * unit(random);
  const goodput::GoodputFunction goodput(
      {compute, compute / 100, network, network / 20, network / 2, network / 40, 1 + unit(random)},
      {unit(random), 20 * unit(random)}, 64);
  return {goodput, {8192, 16, 256, true}};
}

std::vector<policy::Job> random_jobs(int count, const policy::Cluster& cluster) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<policy::Job> jobs;
  for (int i = 0; i < count; ++i) {
    policy::Job job;
    job.name = "job-" + std::to_string(i);
    const auto model = std::make_shared<goodput::SpeedupFunction>(random_model(random));
    job.goodput = [model](int, int nodes, int replicas) { return (*model)(nodes, replicas); };
    job.max_replicas = 64;
    job.max_profiled = 8;
    job.age = 10'000 * unit(random);
    job.pause = 0.05;
    job.remaining = 10'000 * unit(random);
    if (i % 2 == 0 && static_cast<std::size_t>(i / 2) < cluster.size()) job.placement = {{i / 2, 2}};
    jobs.push_back(std::move(job));
  }
  return jobs;
}

bench::Measure measure(const std::string& name, int count, int nodes, double goal, int calls) {
  const policy::Cluster cluster = policy::uniform_cluster(nodes, 4);
  const auto jobs = std::make_shared<std::vector<policy::Job>>();
  return {name, "ms", goal, [=] {
            if (jobs->empty()) *jobs = random_jobs(count, cluster);
            const auto decide = [&] { bench::keep(policy::decide(*jobs, cluster, policy::Objective::fast)); };
            decide();  // fills the memories
            return 1e3 * bench::seconds(calls, decide);
          }};
}

}  // namespace

int main(int argc, char** argv) {
  const policy::Cluster cluster = policy::uniform_cluster(16, 4);
  const auto with_new_models = [=] {
    const std::vector<policy::Job> jobs = random_jobs(16, cluster);
    return 1e3 *
           bench::seconds(1, [&] { bench::keep(policy::decide(jobs, cluster, policy::Objective::fast)); });
  };
  return bench::run(argc, argv,
                    {measure("pool.16x64", 16, 16, 1, 20),
                     {"pool.16x64.models", "ms", {}, with_new_models},
                     measure("pool.160x64", 160, 16, 10, 5),
                     measure("pool.5000x2000", 5000, 500, 1000, 1)},
                    5);
}
