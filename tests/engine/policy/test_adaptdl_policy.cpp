// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's scheduler on the same jobs and nodes: adaptdl_policy.json has what its policy (commit 542e123
// with pymoo 0.5.0: NSGA-II, 100 generations of 100) decided, cycle after cycle, for jobs whose speed-ups are
// in the file: AdaptDL's own, of random performance models, by nodes and from as many replicas on. Its own
// objective is never better than ours.
#include <fstream>
#include <nlohmann/json.hpp>

#include "batchscope/policy/decision.h"
#include "test_case.h"

using namespace batchscope::policy;

namespace {

nlohmann::json recorded() {
  std::ifstream file(ADAPTDL_POLICY);
  return nlohmann::json::parse(file);
}

Placement placement_of(const nlohmann::json& shares) {
  Placement placement;
  for (const auto& share : shares) placement.push_back({share.at(0), share.at(1)});
  return placement;
}

std::vector<Job> jobs_of(const nlohmann::json& all, const nlohmann::json& recorded) {
  std::vector<Job> jobs;
  for (const auto& described : recorded.at("jobs")) {
    Job job;
    job.name = "job-" + std::to_string(jobs.size());
    const std::vector<std::vector<double>> speedups =
        all.at("applications").at(described.at("application").get<std::size_t>());
    job.goodput = [speedups](int, int nodes, int replicas) {
      const std::vector<double>& line = speedups.at(static_cast<std::size_t>(nodes - 1));
      const auto index = static_cast<std::size_t>(replicas - nodes);
      return index < line.size() ? line[index] : 0;
    };
    job.min_replicas = described.at("min");
    job.max_replicas = described.at("max");
    job.max_profiled = job.max_replicas;
    job.preemptible = described.at("preemptible");
    job.placement = placement_of(described.at("placement"));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

double objective_of(const std::vector<Job>& jobs, const Cluster& cluster,
                    const std::vector<Placement>& placements) {
  const Costs costs(Objective::adaptdl, jobs, cluster);
  double sum = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    sum += costs(job, 0, static_cast<int>(placements[job].size()), replicas(placements[job]),
                 placements[job] != jobs[job].placement);
  return sum;
}

double our_objective(const std::vector<Job>& jobs, const Cluster& cluster) {
  std::vector<Placement> placements;
  for (const Allocation& allocation : decide(jobs, cluster, Objective::adaptdl).jobs)
    placements.push_back(allocation.placement);
  return objective_of(jobs, cluster, placements);
}

QByteArray compared(double ours, double theirs) {
  return QString("ours %1, AdaptDL's %2").arg(ours, 0, 'g', 12).arg(theirs, 0, 'g', 12).toUtf8();
}

}  // namespace

class TestAdaptdlPolicy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isNeverBetter_data() {
    QTest::addColumn<int>("index");
    const nlohmann::json all = recorded();
    int index = 0;
    for (const auto& each : all.at("cases")) {
      QTest::addRow("%d: %d jobs on %d nodes", index, static_cast<int>(each.at("jobs").size()),
                    each.at("nodes").get<int>())
          << index;
      ++index;
    }
  }
  void isNeverBetter() {
    QFETCH(int, index);
    const nlohmann::json all = recorded(), each = all.at("cases").at(static_cast<std::size_t>(index));
    const std::vector<Job> jobs = jobs_of(all, each);
    const Cluster cluster = uniform_cluster(each.at("nodes"), each.at("devices"));
    std::vector<Placement> theirs;
    for (const auto& shares : each.at("allocations")) theirs.push_back(placement_of(shares));
    const double objective = each.at("objective");
    QVERIFY2(std::abs(objective_of(jobs, cluster, theirs) - objective) < 1e-9,
             compared(objective_of(jobs, cluster, theirs), objective));
    const double ours = our_objective(jobs, cluster);
    QVERIFY2(ours <= objective + 1e-9, compared(ours, objective));
    // The Pareto front has the same on fewer nodes.
    for (const auto& point : each.at("front")) {
      const int nodes = point.at(0);
      if (nodes < 1 || nodes > static_cast<int>(cluster.size())) continue;
      const double of_fewer = our_objective(jobs, uniform_cluster(nodes, each.at("devices")));
      QVERIFY2(of_fewer <= point.at(1).get<double>() + 1e-9,
               compared(of_fewer, point.at(1)) + " on " + QByteArray::number(nodes));
    }
  }
};

BATCHSCOPE_TEST(TestAdaptdlPolicy)
#include "test_adaptdl_policy.moc"
