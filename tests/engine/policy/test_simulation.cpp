// SPDX-License-Identifier: Apache-2.0
//
// The simulator on an application that can be worked out by hand: two epochs of 60 iterations with batches of
// 8, a second an iteration on one device, half a second on two.
#include <algorithm>
#include <cmath>

#include "batchscope/policy/simulation.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::policy;

namespace {

ProfileData even() {
  ProfileData data;
  data.name = "even";
  data.trainings[8] = {{60, 60, {1, 1}}, {120, 120, {1, 1}}};
  data.placements[{1}] = {{1, 1, 4, {0.5, 0}}, {1, 1, 8, {1.0, 0}}};
  data.placements[{2}] = {{1, 2, 4, {0.5, 0}}};
  data.placements[{1, 1}] = {{2, 2, 4, {0.5, 0}}};
  return data;
}

Applications applications() {
  Applications applications;
  applications.emplace("even", Application(even()));
  return applications;
}

double time_of(const Outcome& outcome, const std::string& name) {
  const auto found = std::find_if(outcome.jobs.begin(), outcome.jobs.end(),
                                  [&](const JobOutcome& job) { return job.name == name; });
  return found->completion_time();
}

const SimulationOptions kTwo{uniform_cluster(1, 2), 60, 30, 0};
const std::vector<Submission> kWorkload{
    {"a", 0, "even", 2, 8}, {"b", 10, "even", 1, 8}, {"c", 20, "even", 1, 8}};

}  // namespace

class TestSimulation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // a has both devices from 60 on, trains from 90 to 150; b and c have one each from 180 on, and train from
  // 210 to 330.
  void repeatsWhatWasReckoned() {
    const Applications known = applications();
    for (const std::string policy : {"fifo", "las", "tiresias", "srtf"}) {
      const Outcome outcome = simulate(kWorkload, known, policy, kTwo);
      QCOMPARE(outcome.policy, policy);
      QCOMPARE(time_of(outcome, "a"), 150.0);
      QCOMPARE(time_of(outcome, "b"), 320.0);
      QCOMPARE(time_of(outcome, "c"), 310.0);
      QCOMPARE(outcome.mean_completion_time(), 260.0);
      QCOMPARE(outcome.makespan(), 330.0);
      QCOMPARE(outcome.restarts(), 0);
    }
  }

  void ofEqualsTheFirstIsTheShortest() {
    const std::vector<Submission> workload{{"a", 0, "even", 1, 8}, {"b", 0, "even", 1, 8}};
    const Outcome outcome = simulate(workload, applications(), "srtf", {uniform_cluster(1, 1), 10, 0, 0});
    QCOMPARE(time_of(outcome, "a"), 10.0 + 120);
    QCOMPARE(time_of(outcome, "b"), 10.0 + 120 + 120);
  }

  // a and b have a device each from 60 on and train from 90 to 210; c has both from 240 on, 270 to 330.
  void optimusGivesEachOneFirst() {
    const Outcome outcome = simulate(kWorkload, applications(), "optimus", kTwo);
    QCOMPARE(time_of(outcome, "a"), 210.0);
    QCOMPARE(time_of(outcome, "b"), 200.0);
    QCOMPARE(time_of(outcome, "c"), 310.0);
  }

  // 120 iterations at 2 s each are 120 s for the noisy one, whose batches of 16 are worth two of 8. On one
  // device the shorter one goes first, from 10 on.
  void theShortestIsFirstByWhatItLearns_data() {
    QTest::addColumn<double>("other");  // s that the other one takes
    QTest::newRow("the noisy one") << 160.0;
    QTest::newRow("the clean one") << 100.0;
  }
  void theShortestIsFirstByWhatItLearns() {
    QFETCH(const double, other);
    ProfileData noisy = even(), clean = even();
    noisy.name = "noisy";
    clean.name = "clean";
    noisy.trainings[8] = noisy.trainings[16] = {{60, 60, {0, 1}}, {120, 120, {0, 1}}};
    clean.trainings[8] = {{other / 2, other / 2, {1, 0}}, {other, other, {1, 0}}};
    noisy.placements[{1}] = {{1, 1, 8, {1.0, 0}}, {1, 1, 16, {2.0, 0}}};
    Applications known;
    known.emplace("noisy", Application(std::move(noisy)));
    known.emplace("clean", Application(std::move(clean)));
    const std::vector<Submission> workload{{"clean", 0, "clean", 1, 8}, {"noisy", 0, "noisy", 1, 16}};
    const Outcome outcome = simulate(workload, known, "srtf", {uniform_cluster(1, 1), 10, 0, 0});
    QCOMPARE(time_of(outcome, "noisy"), 10.0 + 120 + (other < 120 ? other : 0));
    QCOMPARE(time_of(outcome, "clean"), 10.0 + other + (other < 120 ? 0 : 120));
  }

  // Alone with one device it takes 30 + 120 s. b saw 770 / 320 jobs on average, so its share is one device.
  void judgesFairness() {
    const Outcome outcome = simulate(kWorkload, applications(), "fifo", kTwo);
    QCOMPARE(outcome.jobs[0].fairness, 1.0);
    QCOMPARE(outcome.jobs[1].fairness, 320.0 / 150);
    QCOMPARE(outcome.jobs[2].fairness, 310.0 / 150);
    QCOMPARE(outcome.worst_fairness(), 320.0 / 150);
    const auto better_off = [](double fairness) { return JobOutcome{"a", "even", 0, 1, 0, fairness, {}}; };
    QCOMPARE((Outcome{"fifo", {better_off(0.5), better_off(0.75)}}.worst_fairness()), 0.75);
    QCOMPARE(Outcome{}.mean_completion_time(), 0.0);
    QCOMPARE(Outcome{}.makespan(), 0.0);
    QCOMPARE(Outcome{}.restarts(), 0);
    QCOMPARE((Outcome{"fifo", {{"a", "even", 0.25, 0.75, 0, 0, {}}}}.makespan()), 0.5);
  }

  void tellsWhoHadWhat() {
    const Outcome outcome = simulate(kWorkload, applications(), "fifo", kTwo);
    QCOMPARE(outcome.jobs[0].tenures.size(), 1u);
    const Tenure& tenure = outcome.jobs[0].tenures[0];
    QCOMPARE(tenure.since, 60.0);
    QCOMPARE(tenure.until, 150.0);
    QVERIFY((tenure.placement == Placement{{0, 2}}));
  }

  // Each of three replicas, on two nodes of three: 120 iterations of half a second, from 60 s on. Where both
  // have a replica on the same node they lose half of their speed; one alone, and two on nodes of their own,
  // lose nothing.
  void interferes_data() {
    const auto row = batchscope::testing::columns<int, int, double>({"nodes", "jobs", "completed"});
    row("two share a node", 3, 2, 60 + 120);
    row("one alone", 3, 1, 60 + 60);
    row("two on nodes of their own", 4, 2, 60 + 60);
  }
  void interferes() {
    QFETCH(const int, nodes);
    QFETCH(const int, jobs);
    ProfileData data = even();
    data.trainings[8] = {{60, 60, {1, 0}}, {120, 120, {1, 0}}};
    data.placements[{1, 2}] = {{2, 3, 4, {0.5, 0}}};
    Applications known;
    known.emplace("even", Application(std::move(data)));
    std::vector<Submission> workload{{"a", 0, "even", 3, 8}, {"b", 0, "even", 3, 8}};
    workload.resize(static_cast<std::size_t>(jobs));
    const Outcome outcome = simulate(workload, known, "fifo", {uniform_cluster(nodes, 2), 60, 0, 0.5});
    for (const JobOutcome& job : outcome.jobs) QTEST(job.completed, "completed");
  }

  // Three nodes of three: four replicas of each of two jobs meet on one, beside a lone one, which loses
  // nothing.
  void onlySpreadJobsInterfere() {
    ProfileData data = even();
    data.placements[{1, 3}] = {{2, 4, 4, {0.5, 0}}};
    Applications known;
    known.emplace("even", Application(std::move(data)));
    const std::vector<Submission> workload{
        {"a", 0, "even", 4, 8}, {"b", 0, "even", 4, 8}, {"c", 0, "even", 1, 8}};
    const Outcome outcome = simulate(workload, known, "fifo", {uniform_cluster(3, 3), 60, 0, 0.5});
    QVERIFY(time_of(outcome, "a") > 60 + 60 && time_of(outcome, "b") > 60 + 60);
    QCOMPARE(time_of(outcome, "c"), 60.0 + 120);
    const Outcome one =
        simulate({workload[0], workload[2]}, known, "fifo", {uniform_cluster(2, 3), 60, 0, 0.5});
    QCOMPARE(time_of(one, "a"), 60.0 + 60);
    QCOMPARE(time_of(one, "c"), 60.0 + 120);
  }

  // At 180 s, which is also when its device is another's.
  void endsWithAnInterval() {
    const std::vector<Submission> workload{{"a", 0, "even", 1, 8}, {"b", 0, "even", 1, 8}};
    const Outcome outcome = simulate(workload, applications(), "fifo", {uniform_cluster(1, 1), 60, 0, 0});
    QCOMPARE(outcome.jobs[0].completed, 180.0);
    QCOMPARE(outcome.jobs[1].completed, 180.0 + 120);
  }

  // c is the shortest and comes last; each has a node of its own. Later z has ended, and a stays on the
  // second.
  void whoRunsStaysWhereItIs() {
    ProfileData shorter = even();
    shorter.name = "short";
    shorter.trainings[8] = {{30, 30, {1, 1}}};
    Applications known = applications();
    known.emplace("short", Application(std::move(shorter)));
    for (const std::string policy : {"fifo", "srtf", "tiresias"}) {
      const std::vector<Submission> arriving{
          {"a", 0, "even", 1, 8}, {"b", 0, "even", 1, 8}, {"c", 70, "short", 1, 8}};
      const Outcome later = simulate(arriving, known, policy, {uniform_cluster(3, 1), 60, 10, 0});
      QVERIFY2(later.restarts() == 0, policy.c_str());
      for (int node = 0; node < 3; ++node)
        QVERIFY((later.jobs[static_cast<std::size_t>(node)].tenures.at(0).placement == Placement{{node, 1}}));
      const std::vector<Submission> leaving{{"z", 0, "short", 1, 8}, {"a", 0, "even", 1, 8}};
      const Outcome alone = simulate(leaving, known, policy, {Cluster{{1, 0}, {1, 0}}, 60, 10, 0});
      QVERIFY2(alone.jobs[1].restarts == 0, policy.c_str());
    }
  }

  // Less than half a second is no time, where epochs end in whole seconds.
  void whatTakesNoTimeHasHadNothing() {
    ProfileData data = even();
    data.trainings[8] = {{0.4, 0.4, {1, 1}}};
    Applications known;
    known.emplace("even", Application(std::move(data)));
    const Outcome outcome =
        simulate({{"a", 0, "even", 1, 8}}, known, "fifo", {uniform_cluster(1, 1), 60, 0, 0});
    QCOMPARE(outcome.jobs[0].completed, 60.0);
    QVERIFY(outcome.jobs[0].tenures.empty());
  }

  // One that comes while another one trains, at 100 s, has devices from the end of the interval on.
  void entersAtTheEndOfAnInterval() {
    const std::vector<Submission> workload{
        {"a", 0, "even", 1, 8}, {"b", 100, "even", 1, 8}, {"just then", 120, "even", 1, 8}};
    const Outcome outcome = simulate(workload, applications(), "fifo", {uniform_cluster(1, 3), 60, 0, 0});
    QCOMPARE(outcome.jobs[0].completed, 60.0 + 120);
    QCOMPARE(outcome.jobs[1].completed, 120.0 + 120);
    QCOMPARE(outcome.jobs[2].completed, 120.0 + 120);
  }

  void waitsForNobody() {
    const std::vector<Submission> late{{"a", 100'000'000, "even", 2, 8}};
    QCOMPARE(simulate(late, applications(), "fifo", kTwo).jobs[0].completion_time(), 20.0 + 30 + 60);
    QVERIFY(simulate({}, applications(), "fifo", kTwo).jobs.empty());
  }

  // Everybody comes to an end, twice in the same way.
  void endsUnderEveryPolicy() {
    std::vector<Submission> workload;
    for (int i = 0; i < 7; ++i)
      workload.push_back({"job-" + std::to_string(i), 17 * i, "even", 1 + i % 2, 8});
    std::int64_t done = 0, all = 0;
    for (const std::string& policy : policy_names()) {
      const Outcome once =
          simulate(workload, applications(), policy, kTwo, [&](std::int64_t so_far, std::int64_t of) {
            done = so_far;
            all = of;
          });
      QCOMPARE(done, 14);
      QCOMPARE(all, 14);
      const Outcome again = simulate(workload, applications(), policy, kTwo);
      for (std::size_t i = 0; i < workload.size(); ++i) {
        QVERIFY(once.jobs[i].completion_time() >= 60);
        QCOMPARE(again.jobs[i].completed, once.jobs[i].completed);
      }
    }
  }

  // Three jobs on one device: each has it once in four decisions, the first of them at 10 s.
  void everybodyHasATurn() {
    std::vector<Submission> workload;
    for (int i = 0; i < 3; ++i) workload.push_back({"job-" + std::to_string(i), 0, "even", 1, 8});
    for (const std::string policy : {"pollux", "adaptdl", "sia", "fair", "fast"})
      for (const JobOutcome& job :
           simulate(workload, applications(), policy, {uniform_cluster(1, 1), 10, 0, 0}).jobs)
        QVERIFY2(job.tenures.at(0).since <= 10 + 3 * 10, policy.c_str());
  }

  // Where a restart takes as long as several intervals, turns are not all restarts.
  void endsWhereRestartsAreLong() {
    std::vector<Submission> workload;
    for (int i = 0; i < 7; ++i) workload.push_back({"job-" + std::to_string(i), 0, "even", 1, 8});
    const SimulationOptions often{uniform_cluster(1, 2), 5, 30, 0};
    for (const std::string policy : {"pollux", "adaptdl", "sia", "fair", "fast"}) {
      const Outcome outcome = simulate(workload, applications(), policy, often);
      QVERIFY2(outcome.makespan() < 7 * 2 * (120 + 30), qPrintable(QString::number(outcome.makespan())));
    }
  }

  // b ends after a quarter of what a has to do. With its device a would need half of the rest of its time,
  // and a restart takes longer than that, or a second.
  void nobodyIsMovedForLessThanARestart() {
    ProfileData quarter = even();
    quarter.name = "quarter";
    quarter.trainings[8] = {{30, 30, {1, 1}}};
    Applications known = applications();
    known.emplace("quarter", Application(std::move(quarter)));
    const std::vector<Submission> workload{{"a", 0, "even", 1, 8}, {"b", 0, "quarter", 1, 8}};
    for (const std::string policy : {"fair", "fast"}) {
      const Outcome slow = simulate(workload, known, policy, {uniform_cluster(1, 2), 10, 100, 0}),
                    quick = simulate(workload, known, policy, {uniform_cluster(1, 2), 10, 1, 0});
      QCOMPARE(time_of(slow, "a"), 10.0 + 100 + 120);
      QCOMPARE(slow.restarts(), 0);
      QCOMPARE(quick.restarts(), 1);
      QVERIFY(time_of(quick, "a") < 10 + 1 + 120);
    }
  }

  void readsBetweenWhatWasMeasured() {
    ProfileData data = even();
    data.trainings[16] = {{70, 40, {3, 5}}, {130, 80, {1, 1}}};
    data.between[{3, 3}] = {{3, 3, 4, {0.6, 0.1}}, {3, 3, 6, {0.8, 0.2}}};
    const Application application(std::move(data));
    QCOMPARE(application.step_times({1}, 6).step, 0.75);
    QCOMPARE(application.step_times({1, 1, 1}, 5).step, 0.7);
    QCOMPARE(application.gradient(12, 0).sqr, 2.0);
    QCOMPARE(application.gradient(12, 0).var, 3.0);
    QCOMPARE(application.iterations(12, 0), 50.0);
    QCOMPARE(application.progress(1), 60.0);
    QCOMPARE(application.max_replicas(16), 4);
    // Nothing is known of four nodes: a model stands in, which is slower on more.
    const StepTimes far = application.step_times({1, 1, 1, 1}, 4);
    QVERIFY(far.step > 0.4 && far.step < 2 && far.sync >= 0 && far.sync < far.step);
    QCOMPARE(smallest_rotation({4, 2, 1, 4}), (std::vector{1, 4, 4, 2}));
  }

  void thePublishedPoliciesKnowNoBudgetOfMoves() {
    SimulationOptions options = kTwo;
    for (const std::string policy : {"tiresias", "optimus", "pollux", "adaptdl", "sia"}) {
      options.budgets_moves = false;
      const Outcome before = simulate(kWorkload, applications(), policy, options);
      options.budgets_moves = true;
      const Outcome after = simulate(kWorkload, applications(), policy, options);
      for (std::size_t i = 0; i < before.jobs.size(); ++i)
        QCOMPARE(after.jobs[i].completed, before.jobs[i].completed);
    }
  }

  // One device without accumulation keeps the initial batch size, as the run itself does.
  void choosesAmongWhatTheRunMayDo() {
    const auto seconds = [](bool accumulation, bool single_gradient, std::int64_t fixed = 0) {
      ProfileData data = even();
      data.trainings[8] = {{60, 60, {1, 30}}, {120, 120, {1, 30}}};
      data.trainings[16] = {{60, 40, {1, 30}}, {120, 80, {1, 30}}};
      data.placements[{1}] = {{1, 1, 8, {1.0, 0}}, {1, 1, 16, {1.1, 0}}};
      data.accumulation = accumulation;
      data.single_gradient = single_gradient;
      data.batch_size = fixed;
      Applications known;
      known.emplace("even", Application(std::move(data)));
      return simulate({{"a", 0, "even", 1, 8}}, known, "fair", {uniform_cluster(1, 1), 5, 0, 0}).makespan();
    };
    QCOMPARE(seconds(false, false), 120.0 + 5);
    QVERIFY(seconds(false, true) < 120);
    QCOMPARE(seconds(false, true, 8), 120.0 + 5);
  }

  void refusesWhatCannotBe() {
    const Applications known = applications();
    std::string fault;
    const auto refuses = [&](const std::vector<Submission>& workload, const std::string& policy,
                             const SimulationOptions& options) {
      try {
        simulate(workload, known, policy, options);
      } catch (const std::invalid_argument& error) {
        fault = error.what();
        return true;
      }
      return false;
    };
    QVERIFY(refuses(kWorkload, "nobody", kTwo));
    QVERIFY(refuses({{"a", 0, "odd", 1, 8}}, "fifo", kTwo));
    QVERIFY(refuses({{"a", 0, "even", 3, 8}}, "fifo", kTwo));
    QCOMPARE(fault, std::string("a: asks for 3 of 2 devices"));
    QVERIFY(!refuses({{"a", 0, "even", 3, 8}}, "fair", kTwo));
    SimulationOptions options = kTwo;
    options.interval = 0;
    QVERIFY(refuses(kWorkload, "fifo", options));
    options.interval = HUGE_VAL;
    QVERIFY(refuses(kWorkload, "fifo", options));
    for (const double restart : {-1.0, HUGE_VAL}) {
      options = kTwo;
      options.restart = restart;
      QVERIFY(refuses(kWorkload, "fifo", options));
    }
    for (const double interference : {-0.1, 1.0}) {
      options = kTwo;
      options.interference = interference;
      QVERIFY(refuses(kWorkload, "fifo", options));
    }
    for (const Cluster& cluster : {Cluster{}, uniform_cluster(2, 0), Cluster{{2, 0}, {2, 1}}}) {
      options = kTwo;
      options.cluster = cluster;
      QVERIFY(refuses(kWorkload, "fair", options));
    }
    QVERIFY(refuses({{"a", 0, "even", 0, 8}}, "fifo", kTwo));
    ProfileData data = even();
    data.trainings.clear();
    QVERIFY_EXCEPTION_THROWN(Application{std::move(data)}, std::invalid_argument);
  }
};

BATCHSCOPE_TEST(TestSimulation)
#include "test_simulation.moc"
