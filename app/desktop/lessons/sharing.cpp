// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/sharing.h"

#include <algorithm>
#include <utility>

#include "batchscope/common/goodput_prediction.h"
#include "batchscope/policy/decision.h"

namespace batchscope::desktop {

SharingRun sharingRun(const QString& name, const std::optional<protocol::Model>& model, double progress,
                      int devices) {
  SharingRun run{name, {0}, model ? progress * static_cast<double>(model->init_batch_size) : 0};
  for (int count = 1; count <= devices; ++count) {
    const auto best = model ? common::bestPoint(*model, count) : std::nullopt;
    run.goodput.push_back(best ? best->goodput : 0);
  }
  return run;
}

Sharing::Sharing(SharingRun first, SharingRun second) : runs_{std::move(first), std::move(second)} {}

double Sharing::goodput(std::size_t which, int first) const {
  return runs_.at(which).goodput.at(static_cast<std::size_t>(share(which, first)));
}

double Sharing::speedup(std::size_t which, int first) const {
  const double fair = goodput(which, devices() / 2);
  return fair > 0 ? goodput(which, first) / fair : 0;
}

int Sharing::mostInSum() const {
  int best = 0;
  for (int first = 1; first <= devices(); ++first)
    if (sum(first) > sum(best)) best = first;
  return best;
}

int Sharing::decided(policy::Objective objective) const {
  std::vector<policy::Job> jobs;
  for (const SharingRun& run : runs_) {
    policy::Job job;
    job.name = run.name.toStdString();
    job.goodput = [&run](int, int, int replicas) {
      return run.goodput.at(std::min(static_cast<std::size_t>(replicas), run.goodput.size() - 1));
    };
    job.max_replicas = job.max_profiled = devices();
    job.remaining = run.work;
    jobs.push_back(std::move(job));
  }
  const policy::Decision decision = policy::decide(jobs, policy::uniform_cluster(1, devices()), objective);
  return policy::replicas(decision.jobs.front().placement);
}

}  // namespace batchscope::desktop
