// SPDX-License-Identifier: Apache-2.0
//
// The costs of objective.h in closed form: a job that speeds up by the square root of its devices, on two
// nodes of four for two jobs, so that each one's fair share is four, on one node.
#include "batchscope/policy/objective.h"

#include <cmath>

#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

namespace {

constexpr Objective kOurs[] = {Objective::fair, Objective::fast};

// 100 samples/s on one device, and nine tenths of it on several nodes.
Job sqrt_job() {
  Job job;
  job.name = "sqrt";
  job.goodput = [](int, int nodes, int devices) { return 100 * std::sqrt(devices) * (nodes > 1 ? 0.9 : 1); };
  job.max_replicas = job.max_profiled = 8;
  return job;
}

bool near(double is, double should) { return std::abs(is - should) <= 1e-12 * std::abs(should); }

QByteArray shown(double is, double should) {
  return QByteArray::number(is, 'g', 17) + ", expected " + QByteArray::number(should, 'g', 17);
}

// The cost of the first of two such jobs on two nodes of four devices, all of kind 0.
double cost_of(Objective objective, const Job& job, int nodes, int devices, bool changed) {
  const std::vector<Job> jobs{job, sqrt_job()};
  const Cluster cluster = uniform_cluster(2, 4);
  return Costs(objective, jobs, cluster)(0, 0, nodes, devices, changed);
}

}  // namespace

class TestObjective : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // s(n) = G(n) / G(F) / 4, where it has been measured; the job is 600 s old, and has restarted twice in 30 s
  // each.
  void costsOfAJob_data() {
    const auto row =
        columns<Objective, int, int, bool, double>({"objective", "nodes", "devices", "changed", "cost"});
    const double age = (600 - 2 * 30) / (600.0 + 30);  // what restarts take off, as published
    row("pollux", Objective::pollux, 1, 4, false, 1 / (1 / 4.0 + 1e-3));
    row("pollux, one device", Objective::pollux, 1, 1, false, 1 / (0.5 / 4 + 1e-3));
    row("pollux, two nodes", Objective::pollux, 2, 8, false, 1 / (std::sqrt(2) * 0.9 / 4 + 1e-3));
    row("pollux, changed", Objective::pollux, 1, 4, true, 1 / (age / 4.0 + 1e-3));
    row("pollux, waiting", Objective::pollux, 0, 0, false, 1000);
    row("adaptdl", Objective::adaptdl, 1, 4, false, -2 / 4.0);
    row("adaptdl, changed", Objective::adaptdl, 1, 4, true, -0.9 * 2 / 4.0);
    row("adaptdl, waiting", Objective::adaptdl, 0, 0, true, 0);
    row("sia", Objective::sia, 1, 4, false, std::pow(2, -0.5));
    row("sia, changed", Objective::sia, 1, 4, true, std::pow(age * 2, -0.5));
    row("sia, one device", Objective::sia, 1, 1, false, 1);
    row("sia, waiting", Objective::sia, 0, 0, false, 1.1);
    row("sia, worse than waiting", Objective::sia, 2, 1, true, std::min(std::pow(age * 0.9, -0.5), 1.1));
    row("fair", Objective::fair, 1, 4, false, 1 / (1 / 4.0 + 1e-3));
    row("fair, a start", Objective::fair, 1, 4, true, 1 / (1 / 4.0 + 1e-3));
    row("fast, all alike", Objective::fast, 1, 4, false, 1 / (1 / 4.0 + 1e-3));
  }
  void costsOfAJob() {
    QFETCH(const Objective, objective);
    QFETCH(const int, nodes);
    QFETCH(const int, devices);
    QFETCH(const bool, changed);
    QFETCH(const double, cost);
    Job job = sqrt_job();
    job.age = 600;
    job.restarts = 2;
    job.pause = 30;
    const double is = cost_of(objective, job, nodes, devices, changed);
    QVERIFY2(std::abs(is - cost) <= 1e-12 * std::max(1.0, std::abs(cost)), shown(is, cost));
    job.weight = 3;
    QVERIFY(std::abs(cost_of(objective, job, nodes, devices, changed) - 3 * cost) <=
            1e-11 * std::max(1.0, std::abs(cost)));
  }

  // More restarts than it is old, and no age at all.
  void whatWasPublishedCountsRestartsAgainstAge_data() {
    const auto row = columns<double, int, double, double>({"age", "restarts", "pause", "factor"});
    row("none yet", 600, 0, 0, 1);
    row("one ahead", 600, 0, 200, 0.75);
    row("and one behind", 600, 1, 200, 0.5);
    row("too many", 600, 4, 200, 0);
    row("half a second old", 0.5, 0, 0.25, 2 / 3.0);
    row("new", 0, 0, 30, 0);
    row("new, and restarts take no time", 0, 0, 0, 1);
  }
  void whatWasPublishedCountsRestartsAgainstAge() {
    QFETCH(const double, age);
    QFETCH(const int, restarts);
    QFETCH(const double, pause);
    QFETCH(const double, factor);
    Job job = sqrt_job();
    job.age = age;
    job.restarts = restarts;
    job.pause = pause;
    const double is = cost_of(Objective::pollux, job, 1, 4, true), should = 1 / (factor / 4 + 1e-3);
    QVERIFY2(near(is, should), shown(is, should));
  }

  // 1 - pause / horizon for a job that has devices: 240 s, or what the rest takes as it is.
  void oursCountThePauseAgainstWhatIsLeft_data() {
    const auto row = columns<double, double, double>({"pause", "seconds", "factor"});
    row("a quarter of the horizon", 60, 1e6, 0.75);
    row("of what is left", 60, 120, 0.5);
    row("all of it", 60, 60, 0);
    row("more than it", 60, 30, 0);
    row("how much is left nobody knows", 60, -1, 0.75);
  }
  void oursCountThePauseAgainstWhatIsLeft() {
    QFETCH(const double, pause);
    QFETCH(const double, seconds);
    QFETCH(const double, factor);
    Job job = sqrt_job();
    job.pause = pause;
    job.placement = {{0, 2}, {1, 2}};
    if (seconds >= 0) job.remaining = seconds * 180;  // samples/s as it is
    for (const int devices : {1, 4, 6}) {
      const double is = cost_of(Objective::fair, job, 1, devices, true),
                   should = 1 / (factor * std::sqrt(devices / 4.0) / 4 + 1e-3);
      QVERIFY2(near(is, should), shown(is, should));
    }
  }

  void oursHoldEarlierMovesAgainstFurtherOnes() {
    Job job = sqrt_job();
    job.placement = {{0, 4}};
    const auto cost = [&](int devices, bool changed) {
      return cost_of(Objective::fair, job, 1, devices, changed);
    };
    const double fewer = cost(3, true), as_many = cost(4, true), more = cost(5, true), same = cost(4, false);
    job.reluctance = 0.5;
    QVERIFY(near(cost(3, true), 1.5 * fewer));
    QVERIFY(near(cost(4, true), as_many) && near(cost(5, true), more));
    job.reluctance = 0;
    job.left_alone = true;
    QVERIFY(cost(3, true) > 1e8 && cost(4, true) > 1e8 && cost(5, true) > 1e8);
    QVERIFY(near(cost(4, false), same));
    job.placement.clear();  // it loses nothing by a start
    QVERIFY(near(cost(4, true), as_many));
  }

  // Seconds to go 100 and 400, or a thousandth, or a millionth, with less than a sample to go: weights of
  // mean 1 in logarithms, (100 / 200)^-0.5 and (400 / 200)^-0.5. The others are of unknown speed, or of
  // unknown or no work.
  void shortJobsWeighMore_data() {
    const auto row = columns<double>({"second"});
    row("seconds", 1);
    row("milliseconds", 1e-3);
    row("microseconds", 1e-6);
  }
  void shortJobsWeighMore() {
    QFETCH(const double, second);
    std::vector<Job> jobs{sqrt_job(), sqrt_job(), sqrt_job(), sqrt_job(), sqrt_job()};
    jobs[1].goodput = [](int, int, int devices) { return 300 * std::sqrt(devices); };
    jobs[0].remaining = second * 100 * 100 * std::sqrt(2);  // of a fair share of two
    jobs[1].remaining = second * 400 * 300 * std::sqrt(2);
    jobs[3].remaining = 0;
    jobs[4].goodput = nullptr;
    jobs[4].remaining = 1000;
    const Cluster cluster = uniform_cluster(2, 4);
    const double factors[] = {std::sqrt(2), 1 / std::sqrt(2), 1, 1, 1};
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const double fair = Costs(Objective::fair, jobs, cluster)(job, 0, 1, 2, false),
                   fast = Costs(Objective::fast, jobs, cluster)(job, 0, 1, 2, false);
      QVERIFY2(near(fast, factors[job] * fair), shown(fast, factors[job] * fair));
    }
  }

  // Without a model the speed-up is that of the devices, over one device or over the fair share.
  void whoHasNoModelSpeedsUpWithItsDevices_data() {
    const auto row = columns<Objective, double>({"objective", "speedup"});
    row("pollux", Objective::pollux, 3 / 4.0);
    row("adaptdl", Objective::adaptdl, 3);
    row("sia", Objective::sia, 3);
    row("fair", Objective::fair, 3 / 4.0);
    row("fast", Objective::fast, 3 / 4.0);
  }
  void whoHasNoModelSpeedsUpWithItsDevices() {
    QFETCH(const Objective, objective);
    std::vector<Job> jobs{sqrt_job(), sqrt_job()};
    jobs[0].goodput = nullptr;
    const Cluster cluster = uniform_cluster(2, 4);
    const Costs costs(objective, jobs, cluster);
    QTEST(costs.speedup(0, 0, 1, 3), "speedup");
    QCOMPARE(costs.speedup(0, 0, 1, 0), 0.0);
  }

  // The goodput that speed-ups are relative to: of the fair share, or of as many fewer as it can train on.
  void theBaseIsWhatAJobCanTrainOn_data() {
    const auto row = columns<Objective, int, int, double>({"objective", "least", "most", "base"});
    row("pollux, of a node's", Objective::pollux, 1, 8, 200);
    row("fair", Objective::fair, 1, 8, 200);
    row("fair, at most two", Objective::fair, 1, 2, 100 * std::sqrt(2));
    row("fair, at most one", Objective::fair, 1, 1, 100);
    row("fair, at least five", Objective::fair, 5, 8, 0);
    row("adaptdl, of one", Objective::adaptdl, 1, 8, 100);
    row("sia, of the least", Objective::sia, 2, 8, 100 * std::sqrt(2));
  }
  void theBaseIsWhatAJobCanTrainOn() {
    QFETCH(const Objective, objective);
    QFETCH(const int, least);
    QFETCH(const int, most);
    QFETCH(const double, base);
    std::vector<Job> jobs{sqrt_job(), sqrt_job()};
    jobs[0].min_replicas = least;
    jobs[0].goodput = [=](int, int, int devices) {
      return devices >= least && devices <= most ? 100 * std::sqrt(devices) : 0;
    };
    const Cluster cluster = uniform_cluster(2, 4);
    const double speedup = Costs(objective, jobs, cluster).speedup(0, 0, 1, most);
    const double should = base > 0 ? 100 * std::sqrt(most) / base : most / 4.0;
    QVERIFY2(near(speedup, should), shown(speedup, should));
  }

  // Also where its fair share of four, or one device, is too little to train on at all. Nobody asks what it
  // would do with no devices.
  void whatItCannotTrainOnIsWorthNothing_data() {
    const auto row = columns<double, double>({"unit", "otherwise"});
    row("none", 1, 0);
    row("slowly", 1e-3, 0);
    row("less than none", 1, -1);
    row("for ever", 1, HUGE_VAL);
    row("not a number", 1, std::nan(""));
  }
  void whatItCannotTrainOnIsWorthNothing() {
    QFETCH(const double, unit);
    QFETCH(const double, otherwise);
    std::vector<Job> jobs{sqrt_job(), sqrt_job()};
    int fewest = 1;
    jobs[0].goodput = [=, &fewest](int, int, int devices) {
      fewest = std::min(fewest, devices);
      return devices % 5 == 0 ? unit * devices : otherwise;
    };
    const Cluster cluster = uniform_cluster(2, 8);
    jobs.resize(4, sqrt_job());
    for (const Objective objective :
         {Objective::pollux, Objective::adaptdl, Objective::sia, Objective::fair, Objective::fast}) {
      const Costs costs(objective, jobs, cluster);
      QCOMPARE(costs.speedup(0, 0, 1, 4), 0.0);
      QVERIFY(costs.speedup(0, 0, 1, 5) > 0);
      QCOMPARE(costs.speedup(0, 0, 1, 6), 0.0);
      QVERIFY(costs(0, 0, 0, 0, true) > costs(0, 0, 1, 5, true));
    }
    QCOMPARE(fewest, 1);
  }

  // Speeds are compared with one another only: a millionth of each is worth as much.
  void slowJobsCostAsMuchAsFastOnes() {
    for (const Objective objective :
         {Objective::pollux, Objective::adaptdl, Objective::sia, Objective::fair, Objective::fast}) {
      std::vector<double> costs[2];
      for (const bool slow : {false, true}) {
        const double unit = slow ? 1e-6 : 1;
        std::vector<Job> jobs{sqrt_job(), sqrt_job()};
        for (Job& job : jobs)
          job.goodput = [=](int, int, int devices) { return unit * 100 * std::sqrt(devices); };
        jobs[0].remaining = unit * 120 * 200;
        jobs[0].pause = 30;
        jobs[0].age = 600;
        jobs[0].placement = {{0, 4}};
        const Cluster cluster = uniform_cluster(2, 4);
        const Costs of(objective, jobs, cluster);
        for (const int devices : {1, 3, 4}) costs[slow].push_back(of(0, 0, 1, devices, devices != 4));
      }
      for (std::size_t i = 0; i < costs[0].size(); ++i)
        QVERIFY2(near(costs[1][i], costs[0][i]), shown(costs[1][i], costs[0][i]));
    }
  }

  // Four jobs on five devices: two are the share of each. Without a model, and with one device a job, the
  // speed-up is over that device.
  void theFairShareIsRoundedUp() {
    const std::vector<Job> jobs(4, sqrt_job());
    const Cluster five = uniform_cluster(1, 5);
    QVERIFY(near(Costs(Objective::fair, jobs, five).speedup(0, 0, 1, 2), 1));
    std::vector<Job> fresh = jobs;
    fresh[0].goodput = nullptr;
    const Cluster four = uniform_cluster(1, 4);
    QCOMPARE(Costs(Objective::fair, fresh, four).speedup(0, 0, 1, 1), 1.0);
  }

  // A job that trains on five devices and on no fewer, of a fair share of four, ends in two minutes as it is:
  // a restart of a minute costs half of that.
  void whoNeedsMoreThanItsShareCountsWhatIsLeft() {
    Job job = sqrt_job();
    job.goodput = [](int, int, int devices) { return devices < 5 ? 0.0 : 20.0 * devices; };
    job.pause = 60;
    job.placement = {{0, 4}, {1, 1}};
    job.remaining = 120 * 100;
    const double is = cost_of(Objective::fair, job, 2, 6, true), should = 1 / (0.5 * 6 / 4.0 / 4 + 1e-3);
    QVERIFY2(near(is, should), shown(is, should));
  }

  void ofSeveralKindsTheFasterIsTheBase() {
    std::vector<Job> jobs{sqrt_job()};
    jobs[0].goodput = [](int kind, int, int devices) { return (kind == 0 ? 10 : 100) * devices; };
    const Cluster cluster{{2, 0}, {3, 1}};
    for (const Objective objective : kOurs) {
      const Costs costs(objective, jobs, cluster);
      QVERIFY(near(costs.speedup(0, 1, 1, 3), 1));
      QVERIFY(near(costs.speedup(0, 0, 1, 2), 20 / 300.0));
    }
  }

  // Sia's counts on nodes of at most six: powers of two within one, or whole nodes.
  void countsThatAreAllowed() {
    const std::vector<Job> jobs{sqrt_job()};
    const Cluster cluster{{4, 0}, {6, 0}, {6, 0}};
    const Costs sia(Objective::sia, jobs, cluster), fair(Objective::fair, jobs, cluster);
    for (int devices = 1; devices <= 16; ++devices) {
      const bool one_of_few = devices == 1 || devices == 2 || devices == 4 || devices % 6 == 0;
      QCOMPARE(sia.allows(0, devices), one_of_few);
      QVERIFY(fair.allows(0, devices));
    }
    const Cluster ones = uniform_cluster(3, 1);
    const Costs single(Objective::sia, jobs, ones);
    for (int devices = 1; devices <= 3; ++devices) QVERIFY(single.allows(0, devices));
    QVERIFY(near(Costs(Objective::adaptdl, jobs, ones)(0, 0, 1, 1, false), -1));
  }

  void namesAreThoseOfTheObjectives_data() {
    const auto row = columns<Objective>({"objective"});
    row("fair", Objective::fair);
    row("fast", Objective::fast);
    row("pollux", Objective::pollux);
    row("adaptdl", Objective::adaptdl);
    row("sia", Objective::sia);
    row("whatever", Objective::fair);
  }
  void namesAreThoseOfTheObjectives() { QTEST(objective_named(QTest::currentDataTag()), "objective"); }
};

BATCHSCOPE_TEST(TestObjective)
#include "test_objective.moc"
