// SPDX-License-Identifier: Apache-2.0
//
// Decisions: what no objective overrules, on random jobs, and what each objective is for.
#include <algorithm>
#include <cmath>
#include <random>

#include "batchscope/policy/decision.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

namespace {

constexpr Objective kAll[] = {Objective::fair, Objective::fast, Objective::pollux, Objective::adaptdl,
                              Objective::sia};

// Speeds up by this power of its replicas, a little less on several nodes.
Goodput power(double exponent, double unit = 100) {
  return [=](int, int nodes, int replicas) {
    return unit * std::pow(replicas, exponent) * (nodes > 1 ? 0.9 : 1);
  };
}

Job job(const std::string& name, double exponent, int most = 64) {
  Job job;
  job.name = name;
  job.goodput = power(exponent);
  job.max_replicas = most;
  job.max_profiled = most;
  job.age = 600;
  job.pause = 0.05;
  return job;
}

int count(const Decision& decision, std::size_t job) { return replicas(decision.jobs[job].placement); }

// Nobody has what is not there.
bool fits(const Decision& decision, const Cluster& cluster) {
  std::vector<int> left;
  for (const Node& node : cluster) left.push_back(node.devices);
  for (const Allocation& allocation : decision.jobs)
    for (const Share& share : allocation.placement)
      if (share.devices < 1 || (left[static_cast<std::size_t>(share.node)] -= share.devices) < 0)
        return false;
  return true;
}

std::vector<Job> random_jobs(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) {
    Job asked =
        job("job-" + std::to_string(i), 0.2 + 0.8 * unit(random), 1 + static_cast<int>(random() % 12));
    if (random() % 5 == 0) asked.goodput = nullptr;
    asked.max_profiled = static_cast<int>(random() % 6);
    asked.min_replicas =
        random() % 3 == 0 ? std::min(asked.max_replicas, 1 + static_cast<int>(random() % 3)) : 0;
    asked.preemptible = random() % 6 != 0;
    asked.age = 5000 * unit(random);
    asked.restarts = static_cast<int>(random() % 5);
    asked.pause = 30 * unit(random);
    if (random() % 3 != 0) asked.remaining = 1e5 * unit(random);
    if (random() % 2 != 0) asked.weight = std::pow(10, 6 * unit(random) - 3);
    jobs.push_back(asked);
  }
  return jobs;
}

Cluster random_cluster(std::mt19937& random) {
  Cluster cluster;
  const int nodes = 1 + static_cast<int>(random() % 5), two = static_cast<int>(random() % 2);
  for (int i = 0; i < nodes; ++i)
    cluster.push_back(
        {1 + static_cast<int>(random() % 4), i == 0 ? 0 : two * static_cast<int>(random() % 2)});
  return cluster;
}

// All that a job could have of these devices, nodes in their order; the first is none.
std::vector<Placement> all_placements(const Cluster& cluster) {
  std::vector<Placement> placements{{}};
  for (std::size_t node = 0; node < cluster.size(); ++node)
    for (std::size_t i = placements.size(); i-- > 0;)
      for (int devices = 1; devices <= cluster[node].devices; ++devices) {
        Placement more = placements[i];
        more.push_back({static_cast<int>(node), devices});
        placements.push_back(more);
      }
  return placements;
}

// The least sum of costs over all placements in which jobs on several nodes keep out of one another's nodes.
class Trying {
 public:
  Trying(const Costs& costs, const std::vector<Job>& jobs, const Cluster& cluster)
      : placements_(all_placements(cluster)), spread_(cluster.size()) {
    for (const Node& node : cluster) free_.push_back(node.devices);
    for (const Job& job : jobs)  // perhaps in another order
      if (std::find(placements_.begin(), placements_.end(), job.placement) == placements_.end())
        placements_.push_back(job.placement);
    for (std::size_t job = 0; job < jobs.size(); ++job)
      for (const Placement& placement : placements_) {
        const int given = replicas(placement);
        const bool allowed =
            given == 0 || (given <= jobs[job].max_replicas && given >= jobs[job].min_replicas);
        costs_.push_back(allowed ? costs(job, 0, static_cast<int>(placement.size()), given,
                                         placement != jobs[job].placement)
                                 : HUGE_VAL);
      }
  }

  double best(std::size_t job = 0) {
    if (job * placements_.size() == costs_.size()) return 0;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < placements_.size(); ++i) {
      const double cost = costs_[job * placements_.size() + i];
      if (cost == HUGE_VAL || !fits(placements_[i])) continue;
      change(placements_[i], -1);
      least = std::min(least, cost + best(job + 1));
      change(placements_[i], 1);
    }
    return least;
  }

 private:
  bool fits(const Placement& placement) const {
    return std::all_of(placement.begin(), placement.end(), [&](const Share& share) {
      const auto node = static_cast<std::size_t>(share.node);
      return share.devices <= free_[node] && !(placement.size() > 1 && spread_[node] > 0);
    });
  }
  void change(const Placement& placement, int sign) {
    for (const Share& share : placement) {
      const auto node = static_cast<std::size_t>(share.node);
      free_[node] += sign * share.devices;
      if (placement.size() > 1) spread_[node] -= sign;
    }
  }

  std::vector<Placement> placements_;
  std::vector<double> costs_;  // by job and placement
  std::vector<int> free_, spread_;
};

}  // namespace

class TestDecision : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Decisions one after the other on random jobs that come and go.
  void keepsItsRules() {
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
      const Cluster cluster = random_cluster(random);
      const Objective objective = kAll[random() % std::size(kAll)];
      std::vector<Job> jobs = random_jobs(random, 1 + static_cast<int>(random() % 10));
      for (int step = 0; step < 8; ++step) {
        const Decision decision = decide(jobs, cluster, objective);
        QCOMPARE(decision.jobs.size(), jobs.size());
        QVERIFY(fits(decision, cluster));
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          const Allocation& allocation = decision.jobs[i];
          const int given = replicas(allocation.placement);
          QCOMPARE(allocation.changed, allocation.placement != jobs[i].placement);
          QVERIFY(!allocation.reason.empty());
          if (!jobs[i].preemptible && !jobs[i].placement.empty()) {
            QVERIFY(!allocation.changed);
            QCOMPARE(allocation.why, Why::fixed);
          } else if (given > 0) {
            QVERIFY(given <= jobs[i].max_replicas && given >= jobs[i].min_replicas);
            QVERIFY(given <= std::max({1, 2 * jobs[i].max_profiled, jobs[i].min_replicas}));
          }
          jobs[i].placement = allocation.placement;
          jobs[i].waited = given > 0 ? 0 : jobs[i].waited + 1;
          jobs[i].max_profiled = std::max(jobs[i].max_profiled, given);
          jobs[i].restarts += allocation.changed;
          jobs[i].age += 60;
        }
        jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(random() % jobs.size()));
        for (Job& arriving : random_jobs(random, 1 + static_cast<int>(random() % 2)))
          jobs.push_back(arriving);
      }
    }
  }

  // J jobs on N devices: each has some within ceil(J / N) + 1 decisions, for ever, whatever their weights.
  void letsNobodyStarve() {
    std::mt19937 random(8);
    for (int round = 0; round < 60; ++round) {
      const Cluster cluster = random_cluster(random);
      int all = 0;
      for (const Node& node : cluster) all += node.devices;
      std::vector<Job> jobs = random_jobs(random, 1 + static_cast<int>(random() % 25));
      for (Job& job : jobs) {
        job.min_replicas = 0;
        job.preemptible = true;
      }
      const Objective objective = kAll[round % static_cast<int>(std::size(kAll))];
      const int bound = (static_cast<int>(jobs.size()) + all - 1) / all + 1;
      for (int step = 0; step < 5 * bound; ++step) {
        const Decision decision = decide(jobs, cluster, objective);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          jobs[i].placement = decision.jobs[i].placement;
          jobs[i].waited = jobs[i].placement.empty() ? jobs[i].waited + 1 : 0;
          QVERIFY2(jobs[i].waited < bound, qPrintable(QString("%1 jobs on %2").arg(jobs.size()).arg(all)));
        }
      }
    }
  }

  // Three jobs that train on three devices and on no fewer, on four. Two of them have waited for too long at
  // the same time, though only one can be served: they take turns all the same.
  void whoNeedsSeveralDevicesHasTurns() {
    for (const Objective objective : kAll) {
      std::vector<Job> jobs{job("a", 1), job("b", 1), job("c", 1)};
      for (Job& each : jobs) each.goodput = [](int, int, int n) { return n < 3 ? 0.0 : n; };
      jobs[0].placement = {{0, 3}};
      jobs[1].waited = jobs[2].waited = 5;
      std::vector<int> served(3);
      for (int step = 0; step < 6; ++step) {
        const Decision decision = decide(jobs, uniform_cluster(1, 4), objective);
        for (std::size_t i = 0; i < 3; ++i) {
          served[i] += count(decision, i) >= 3;
          jobs[i].placement = decision.jobs[i].placement;
          jobs[i].waited = jobs[i].placement.empty() ? jobs[i].waited + 1 : 0;
        }
      }
      QCOMPARE(served, std::vector(3, 2));
    }
  }

  // No placement is better on one node, and few are on several, by little.
  void losesLittleToTryingEverything() {
    std::mt19937 random(9);
    double lost = 0;
    constexpr int kRounds = 150;
    for (int round = 0; round < kRounds; ++round) {
      const Objective objective = kAll[static_cast<std::size_t>(round) % 3];
      const int nodes = 1 + round % 3;
      Cluster cluster;
      for (int i = 0; i < nodes; ++i)
        cluster.push_back({nodes == 1 ? 6 : 2 + static_cast<int>(random() % 2), 0});
      std::vector<Job> jobs;
      for (int i = 0; i < 3; ++i) {
        const double exponent = std::uniform_real_distribution(0.3, 1.0)(random);
        jobs.push_back(job("job-" + std::to_string(i), exponent, 1 + static_cast<int>(random() % 6)));
        jobs.back().pause = 0.5;
      }
      for (int again = 0; again < 2; ++again) {
        const Decision decision = decide(jobs, cluster, objective);
        const Costs costs(objective, jobs, cluster);
        const double best = Trying(costs, jobs, cluster).best();
        double sum = 0;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          const Placement& placement = decision.jobs[i].placement;
          sum +=
              costs(i, 0, static_cast<int>(placement.size()), replicas(placement), decision.jobs[i].changed);
        }
        QVERIFY(std::abs(decision.cost - sum) <= 1e-9 * sum);
        QVERIFY(decision.cost >= best * (1 - 1e-9));
        if (nodes == 1) QVERIFY(decision.cost <= best * (1 + 1e-9));
        lost += decision.cost / best - 1;
        for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].placement = decision.jobs[i].placement;
        jobs[random() % jobs.size()] = job("arriving", 0.9, 4);
      }
    }
    QVERIFY2(lost / (2 * kRounds) < 0.01, qPrintable(QString::number(lost / (2 * kRounds))));
  }

  // The same question has the same answer, and what nobody would gain by is left as it is.
  void isPureAndSettles() {
    const Cluster cluster = uniform_cluster(4, 4);
    std::vector<Job> jobs{job("a", 0.9), job("b", 0.6), job("c", 0.3), job("d", 0.8)};
    const Decision first = decide(jobs, cluster, Objective::fair);
    const Decision again = decide(jobs, cluster, Objective::fair);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      QVERIFY(first.jobs[i].placement == again.jobs[i].placement);
      QCOMPARE(first.jobs[i].reason, again.jobs[i].reason);
      jobs[i].placement = first.jobs[i].placement;
      jobs[i].pause = 30;
    }
    for (const Allocation& allocation : decide(jobs, cluster, Objective::fair).jobs)
      QVERIFY(!allocation.changed);
  }

  void givesDevicesToThoseWhoUseThem() {
    const Cluster cluster = uniform_cluster(1, 8);
    const std::vector<Job> jobs{job("steep", 1.0), job("flat", 0.1)};
    for (const Objective objective : {Objective::fair, Objective::pollux, Objective::adaptdl}) {
      const Decision decision = decide(jobs, cluster, objective);
      QVERIFY(count(decision, 0) > count(decision, 1));
      QCOMPARE(count(decision, 0) + count(decision, 1), 8);
    }
  }

  void letsShortJobsGoFirst() {
    const Cluster cluster = uniform_cluster(1, 8);
    std::vector<Job> jobs{job("long", 0.7), job("short", 0.7)};
    jobs[0].remaining = 1e6;
    jobs[1].remaining = 1e3;
    const Decision fair = decide(jobs, cluster, Objective::fair),
                   fast = decide(jobs, cluster, Objective::fast);
    QCOMPARE(count(fair, 0), count(fair, 1));
    QVERIFY(count(fast, 1) > count(fast, 0));
    jobs[1].remaining.reset();  // a single time is neither long nor short
    QCOMPARE(count(decide(jobs, cluster, Objective::fast), 0), 4);
    jobs[0].remaining.reset();
    QCOMPARE(count(decide(jobs, cluster, Objective::fast), 0), 4);
  }

  // Twice as many for whom it matters more, and of two that cannot both run it is the one that does.
  void heedsWeights() {
    std::vector<Job> jobs{job("a", 0.7), job("b", 0.7)};
    jobs[1].weight = 8;
    for (const Objective objective : kAll) {
      const Decision shared = decide(jobs, uniform_cluster(1, 8), objective),
                     one = decide(jobs, uniform_cluster(1, 1), objective);
      QVERIFY(count(shared, 1) > count(shared, 0));
      QVERIFY(count(one, 1) == 1 && count(one, 0) == 0);
    }
  }

  // Power-of-two counts within a node, whole nodes beyond.
  void knowsSiasCounts() {
    const Cluster cluster = uniform_cluster(4, 4);
    const Decision decision =
        decide(std::vector{job("a", 1.0), job("b", 0.8), job("c", 0.2)}, cluster, Objective::sia);
    for (std::size_t i = 0; i < 3; ++i) {
      const int given = count(decision, i);
      QVERIFY2(given > 4 ? given % 4 == 0 : given != 3, qPrintable(QString::number(given)));
    }
  }

  // Unknown speed-up: linear, but no more than one device before it has trained.
  void startsSmall() {
    Job fresh;
    fresh.name = "fresh";
    fresh.max_replicas = 8;
    const Decision decision = decide(std::vector{fresh}, uniform_cluster(1, 8), Objective::fair);
    QCOMPARE(count(decision, 0), 1);
    fresh.max_profiled = 3;
    QCOMPARE(count(decide(std::vector{fresh}, uniform_cluster(1, 8), Objective::fair), 0), 6);
  }

  // Two kinds of device: each job where it is faster.
  void choosesAmongKinds() {
    const Cluster cluster{{2, 0}, {6, 1}};
    std::vector<Job> jobs{job("gpu", 0.9, 4), job("core", 0.9, 6)};
    jobs[0].goodput = [](int kind, int, int n) { return (kind == 0 ? 100 : 1) * n; };
    jobs[1].goodput = [](int kind, int, int n) { return (kind == 0 ? 5 : 4) * n; };
    const Decision decision = decide(jobs, cluster, Objective::fair);
    QVERIFY((decision.jobs[0].placement == Placement{{0, 2}}));
    QVERIFY((decision.jobs[1].placement == Placement{{1, 6}}));
    QVERIFY(decision.curve.empty());
  }

  void saysWhy() {
    const Cluster cluster = uniform_cluster(1, 4);
    std::vector<Job> jobs{job("a", 0.5), job("b", 0.95)};
    const Decision decision = decide(jobs, cluster, Objective::fair);
    QVERIFY(decision.jobs[0].reason.ends_with("; another would help other jobs more"));
    QVERIFY(decision.jobs[0].alternatives.back().speedup > 0);
    QCOMPARE(decision.curve.size(), 5u);
    for (std::size_t k = 1; k < decision.curve.size(); ++k)
      QVERIFY(decision.curve[k] <= decision.curve[k - 1]);
    jobs[0].preemptible = false;
    jobs[0].placement = {{0, 4}};
    const Decision fixed = decide(jobs, cluster, Objective::fair);
    QCOMPARE(fixed.jobs[0].reason, std::string("keeps its 4 devices until it ends"));
    QCOMPARE(fixed.jobs[1].why, Why::impossible);
  }

  // A job is told why it has what it has, and what other numbers of devices would do, on one node of four.
  void tellsReasonsAndAlternatives_data() {
    const auto row =
        columns<std::vector<Job>, std::string, std::vector<Alternative>>({"jobs", "reason", "alternatives"});
    const Job half = job("half", 0.5);
    Job few = half, turned = half, alone = half, kept = half, none = half, flat = half, waits = half;
    few.max_replicas = 2;
    turned.waited = 9;
    turned.weight = 1e-3;
    alone.placement = {{0, 1}};
    alone.left_alone = true;
    kept.placement = {{0, 3}};
    kept.preemptible = false;
    none.min_replicas = 5;
    flat.goodput = [](int, int, int) { return 100.0; };
    waits.weight = 1e-3;
    const double less = std::sqrt(1 / 2.0) - 1, more = std::sqrt(3 / 2.0) - 1;
    row("shared", {half, half}, "2 devices; another would help other jobs more", {{1, less}, {3, more}});
    row("the most", {few}, "2 devices, the most that it may have", {{1, less}});
    row("all there are", {half}, "4 devices, the most that it may have", {{3, std::sqrt(3 / 4.0) - 1}});
    row("its turn", {turned, half, half, half, half}, "1 device, as its turn has come",
        {{0, -1}, {2, std::sqrt(2) - 1}});
    row("left alone", {alone}, "1 device; not moved for now, as its last restarts took long",
        {{0, -1}, {2, std::sqrt(2) - 1}});
    Job stays = half;
    stays.placement = {{0, 2}};
    row("stays", {stays, stays}, "2 devices; another would help other jobs more", {{1, less}, {3, more}});
    row("fixed", {kept}, "keeps its 3 devices until it ends", {});
    row("never", {none}, "cannot train on any device here", {});
    row("no faster", {flat}, "1 device; another would not make it faster", {{0, -1}, {2, 0}});
    Job two = kept;
    two.placement = {{0, 2}};
    row("no faster, where one is left", {flat, two}, "1 device; another would not make it faster",
        {{0, -1}, {2, 0}});
    row("waiting", {waits, half, half, half, half}, "waits for its turn", {});
  }
  void tellsReasonsAndAlternatives() {
    QFETCH(const std::vector<Job>, jobs);
    QFETCH(const std::vector<Alternative>, alternatives);
    const Allocation first = decide(jobs, uniform_cluster(1, 4), Objective::fair).jobs[0];
    QTEST(first.reason, "reason");
    QCOMPARE(first.alternatives.size(), alternatives.size());
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      QCOMPARE(first.alternatives[i].devices, alternatives[i].devices);
      QVERIFY(std::abs(first.alternatives[i].speedup - alternatives[i].speedup) < 1e-12);
    }
  }

  void refusesWhatCannotBe() {
    const Cluster cluster = uniform_cluster(1, 2);
    std::vector<Job> jobs{job("a", 0.5)};
    jobs[0].min_replicas = 65;
    QVERIFY_EXCEPTION_THROWN(decide(jobs, cluster, Objective::fair), std::invalid_argument);
    for (const double weight : {0.0, -1.0, HUGE_VAL, -HUGE_VAL}) {
      jobs[0] = job("a", 0.5);
      jobs[0].weight = weight;
      QVERIFY_EXCEPTION_THROWN(decide(jobs, cluster, Objective::fair), std::invalid_argument);
    }
    jobs[0] = job("a", 0.5);
    for (const Placement& placement :
         {Placement{{1, 1}}, Placement{{0, 3}}, Placement{{-1, 1}}, Placement{{0, 0}}}) {
      jobs[0].placement = placement;
      QVERIFY_EXCEPTION_THROWN(decide(jobs, cluster, Objective::fair), std::invalid_argument);
    }
    QVERIFY(decide({}, cluster, Objective::fair).jobs.empty());
    QVERIFY(decide(std::vector{job("a", 0.5)}, {}, Objective::fair).jobs[0].placement.empty());
  }
};

BATCHSCOPE_TEST(TestDecision)
#include "test_decision.moc"
