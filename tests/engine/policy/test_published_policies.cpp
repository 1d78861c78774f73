// SPDX-License-Identifier: Apache-2.0
//
// Tiresias and Optimus on applications that can be worked out by hand, and epochs that are rounded as was
// published.
#include <algorithm>
#include <cmath>

#include "batchscope/policy/simulation.h"
#include "rows.h"
#include "simulator/scheduler.h"
#include "test_case.h"

using namespace batchscope::policy;

namespace {

// Two epochs of so many iterations with batches of 12; seconds of a step on one, two and three devices, where
// a node has them or two have three.
ProfileData application(const std::string& name, double iterations, const std::vector<double>& seconds) {
  ProfileData data;
  data.name = name;
  data.measured_only = true;
  data.trainings[12] = {{iterations, iterations, {1, 1}}, {2 * iterations, 2 * iterations, {1, 1}}};
  for (int count = 1; count <= static_cast<int>(seconds.size()); ++count)
    data.placements[{count}] = {{1, count, 12 / count, {seconds[static_cast<std::size_t>(count - 1)], 0}}};
  if (seconds.size() > 2) data.placements[{1, 2}] = {{2, 3, 4, {seconds[2], 0}}};
  return data;
}

Applications known(std::vector<ProfileData> profiles) {
  Applications applications;
  for (ProfileData& data : profiles) {
    const std::string name = data.name;
    applications.emplace(name, Application(std::move(data)));
  }
  return applications;
}

SimulationOptions one_node(int devices) { return {uniform_cluster(1, devices), 60, 0, 0}; }

int first_count(const JobOutcome& job) { return replicas(job.tenures.at(0).placement); }

}  // namespace

class TestPublishedPolicies : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thoseThatChooseByGoodput() {
    const std::vector<std::pair<std::string, bool>> expected{
        {"fifo", false},  {"las", false},    {"tiresias", false}, {"optimus", false}, {"srtf", false},
        {"pollux", true}, {"adaptdl", true}, {"sia", true},       {"fair", true},     {"fast", true}};
    std::vector<std::pair<std::string, bool>> found;
    for (const std::string& name : policy_names()) found.emplace_back(name, schedules_by_goodput(name));
    QCOMPARE(found, expected);
    QVERIFY(!schedules_by_goodput("nobody"));
  }

  // Two jobs of 120,000 iterations, of which one can run at a time. The first runs until it has had 16 hours
  // of one device, then the second; each then runs to its end.
  void tiresiasTakesTurnsAfterSixteenHours_data() {
    const auto row = batchscope::testing::columns<int, double, double>({"replicas", "first", "second"});
    row("one device each", 1, 60 + 57600 + 57600 + 62400.0, 60 + 57600 + 57600 + 2 * 62400.0);
    row("two devices each", 2, 60 + 28800 + 28800 + 31200.0, 60 + 28800 + 28800 + 2 * 31200.0);
  }
  void tiresiasTakesTurnsAfterSixteenHours() {
    QFETCH(const int, replicas);
    const std::vector<Submission> workload{{"a", 0, "app", replicas, 12}, {"b", 0, "app", replicas, 12}};
    const Outcome outcome =
        simulate(workload, known({application("app", 60'000, {1, 0.5})}), "tiresias", one_node(replicas));
    QTEST(outcome.jobs[0].completed, "first");
    QTEST(outcome.jobs[1].completed, "second");
    QCOMPARE(outcome.jobs[0].restarts, 1);
    QCOMPARE(outcome.restarts(), 2);
  }

  // The interval that is over when a job has had its 16 hours is its last for now; a second less is too
  // little.
  void tiresiasCountsFromTheStart_data() {
    const auto row = batchscope::testing::columns<double, int>({"interval", "intervals"});
    row("sixteen hours", 57600, 1);
    row("a second less", 57599, 2);
  }
  void tiresiasCountsFromTheStart() {
    QFETCH(const double, interval);
    QFETCH(const int, intervals);
    const std::vector<Submission> workload{{"a", 0, "app", 1, 12}, {"b", 0, "app", 1, 12}};
    const Outcome outcome = simulate(workload, known({application("app", 100'000, {1})}), "tiresias",
                                     {uniform_cluster(1, 1), interval, 0, 0});
    const Tenure& first = outcome.jobs[0].tenures.at(0);
    QCOMPARE(first.since, interval);
    QCOMPARE(first.until, (1 + intervals) * interval);
  }

  // A job alone on a device makes two micro-batches of its batch, each of which takes a whole step: 2 s.
  // Three replicas at the most: seconds less for each by one replica more, times its iterations.
  void optimusGivesWhereItSavesMost_data() {
    const auto row =
        batchscope::testing::columns<double, double, int, int, int>({"steep", "flat", "devices", "a", "b"});
    row("one each", 600, 30, 2, 1, 1);
    row("1.5 s of 600 before 1.05 s of 30", 600, 30, 3, 2, 1);
    row("0.25 s of 600 before 1.05 s of 30", 600, 30, 4, 3, 1);
    row("no more than three", 600, 30, 5, 3, 2);
    row("1.05 s of 600 before 1.5 s of 30", 30, 600, 3, 1, 2);
    row("then 1.5 s of 30 before 0.05 s of 600", 30, 600, 4, 2, 2);
    row("all that each may have", 30, 600, 7, 3, 3);
    row("also where it saves less than a second", 3, 3, 6, 3, 3);
  }
  void optimusGivesWhereItSavesMost() {
    QFETCH(const double, steep);
    QFETCH(const double, flat);
    QFETCH(const int, devices);
    const std::vector<Submission> workload{{"a", 0, "steep", 1, 12}, {"b", 0, "flat", 1, 12}};
    const Applications applications =
        known({application("steep", steep, {1, 0.5, 0.25}), application("flat", flat, {1, 0.95, 0.9})});
    const Outcome outcome = simulate(workload, applications, "optimus", one_node(devices));
    QTEST(first_count(outcome.jobs[0]), "a");
    QTEST(first_count(outcome.jobs[1]), "b");
  }

  // As was published, a last epoch counts as one iteration: its end is not told from its beginning.
  void optimusCountsALastEpochAsOneIteration() {
    ProfileData last = application("last", 600, {1, 0.5, 0.25});
    last.trainings[12] = {{600, 600, {1, 1}}};
    QCOMPARE(first_count(simulate({{"a", 0, "last", 1, 12}}, known({last}), "optimus", one_node(2)).jobs[0]),
             2);
    // 1.5 s of one iteration before 1.05 s of one, and after 1.05 s of two.
    for (const auto& [iterations, a] : {std::pair{1.0, 2}, {2.0, 1}}) {
      const std::vector<Submission> workload{{"a", 0, "last", 1, 12}, {"b", 0, "flat", 1, 12}};
      const Applications applications = known({last, application("flat", iterations, {1, 0.95, 0.9})});
      QCOMPARE(first_count(simulate(workload, applications, "optimus", one_node(3)).jobs[0]), a);
    }
  }

  // Two replicas of a take 0.5 s for a step on one node and 5 s on two, those of b 0.8 s on either.
  void theShortestIsFirstByItsPlace_data() {
    const auto row = batchscope::testing::columns<Cluster, bool>({"cluster", "isAFirst"});
    row("one node", uniform_cluster(1, 2), true);
    row("two nodes", uniform_cluster(2, 1), false);
    row("two nodes, the first one larger", Cluster{{2, 0}, {1, 0}}, true);
  }
  void theShortestIsFirstByItsPlace() {
    QFETCH(const Cluster, cluster);
    QFETCH(const bool, isAFirst);
    ProfileData a = application("a", 600, {1, 0.5}), b = application("b", 600, {1, 0.8});
    a.placements[{1, 1}] = {{2, 2, 6, {5, 0}}};
    b.placements[{1, 1}] = {{2, 2, 6, {0.8, 0}}};
    std::vector<Submission> workload{{"b", 0, "b", 2, 12}, {"a", 0, "a", 2, 12}};
    if (!isAFirst) std::swap(workload[0], workload[1]);  // the one that goes first is submitted last
    const Outcome outcome =
        simulate(workload, known({std::move(a), std::move(b)}), "srtf", {cluster, 60, 0, 0});
    QCOMPARE(outcome.jobs[1].completed, 60 + (isAFirst ? 600.0 : 960.0));
  }

  // 100 and 20 iterations are fewer than 10 and 120, and 10 and 110 fewer than 120 and 10.
  void theShortestIsFirstByAllItsEpochs_data() {
    const auto row = batchscope::testing::columns<double, double>({"a", "b"});
    row("after a long first epoch", 100, 10);
    row("after a short one", 10, 120);
  }
  void theShortestIsFirstByAllItsEpochs() {
    QFETCH(const double, a);
    QFETCH(const double, b);
    ProfileData first = application("a", 1, {1}), second = application("b", 1, {1});
    first.trainings[12] = {{a, a, {1, 1}}, {120, 120, {1, 1}}};
    second.trainings[12] = {{b, b, {1, 1}}, {130, 130, {1, 1}}};
    const Outcome outcome = simulate({{"b", 0, "b", 1, 12}, {"a", 0, "a", 1, 12}},
                                     known({std::move(first), std::move(second)}), "srtf", one_node(1));
    QCOMPARE(outcome.jobs[1].completed, 60 + 120.0);
  }

  // a alone on a device makes one micro-batch of its initial batch: 120 s in all, and 180 s were it two. b
  // needs both devices for 144 s.
  void theShortestIsFirstByOneMicroBatch() {
    ProfileData a = application("a", 60, {1}), b = application("b", 60, {1, 1.2});
    a.placements[{1}] = {{1, 1, 6, {0.75, 0}}, {1, 1, 12, {1, 0}}};
    const Outcome outcome = simulate({{"b", 0, "b", 2, 12}, {"a", 0, "a", 1, 12}},
                                     known({std::move(a), std::move(b)}), "srtf", one_node(2));
    QCOMPARE(outcome.jobs[1].completed, 60 + 120.0);
  }

  // b on two devices is demoted at eight hours, a on one at sixteen. Then c comes, and beside it there are
  // two devices, which b keeps.
  void tiresiasOrdersByDemotion() {
    const std::vector<Submission> workload{
        {"a", 0, "app", 1, 12}, {"b", 0, "app", 2, 12}, {"c", 17 * 3600, "short", 1, 12}};
    const Applications applications =
        known({application("app", 100'000, {1, 1}), application("short", 300, {1})});
    const Outcome outcome = simulate(workload, applications, "tiresias", one_node(3));
    QCOMPARE(outcome.jobs[0].restarts, 1);
    QCOMPARE(outcome.jobs[1].restarts, 0);
    QCOMPARE(outcome.jobs[2].completed, 17 * 3600 + 600.0);
  }

  // A device each: the first of two jobs is on the first node. The other one stays where it is when that job
  // has ended.
  void optimusMovesNobodyWhoKeepsItsNumber() {
    const std::vector<Submission> workload{{"z", 0, "short", 1, 12}, {"a", 0, "app", 1, 12}};
    const Applications applications = known({application("short", 60, {1}), application("app", 600, {1})});
    const Outcome outcome = simulate(workload, applications, "optimus", {uniform_cluster(2, 1), 60, 10, 0});
    QVERIFY((outcome.jobs[0].tenures.at(0).placement == Placement{{0, 1}}));
    QVERIFY((outcome.jobs[1].tenures.at(0).placement == Placement{{1, 1}}));
    QCOMPARE(outcome.restarts(), 0);
  }

  // On one device a step takes 2 s, on two 0.5 s: from 60 s on, and from 300 s on, when the other job has
  // ended.
  void optimusGivesOnWhatComesFree() {
    const std::vector<Submission> workload{{"z", 0, "short", 1, 12}, {"a", 0, "app", 1, 12}};
    const Applications applications =
        known({application("short", 60, {1}), application("app", 600, {1, 0.5})});
    const Outcome outcome = simulate(workload, applications, "optimus", one_node(2));
    QCOMPARE(outcome.jobs[1].restarts, 1);
    QCOMPARE(outcome.jobs[1].tenures.at(1).since, 180.0);
    QCOMPARE(outcome.jobs[1].completed, 180.0 + (1200 - 120) * 0.5);
  }

  // More devices than there are were not measured, and are not asked for.
  void optimusAsksForNoMoreThanThereIs() {
    ProfileData data = application("app", 60, {1});
    data.placements[{1}] = {{1, 1, 4, {0.5, 0}}, {1, 1, 12, {1, 0}}};
    const Outcome outcome =
        simulate({{"a", 0, "app", 1, 12}}, known({std::move(data)}), "optimus", one_node(1));
    QCOMPARE(first_count(outcome.jobs[0]), 1);
  }

  // Two are on the first node, as the published simulator has it, though another one is smaller.
  void optimusTakesNodesForAsLargeAsTheFirst() {
    ProfileData data = application("app", 600, {1, 0.5});
    data.placements[{1, 1}] = {{2, 2, 6, {3, 0}}};
    const Outcome outcome = simulate({{"a", 0, "app", 1, 12}}, known({std::move(data)}), "optimus",
                                     {Cluster{{2, 0}, {1, 0}}, 60, 0, 0});
    QCOMPARE(first_count(outcome.jobs[0]), 2);
  }

  // A hundred times as slow, all comes to an end a hundred times as late: also with less than a sample a
  // second.
  void slowApplicationsAreScheduledAsFastOnes() {
    for (const std::string policy : {"pollux", "adaptdl", "sia"}) {
      std::vector<double> ends[2];
      for (const int times : {1, 100}) {
        std::vector<double> seconds{1, 0.5, 0.4};
        for (double& each : seconds) each *= times;
        std::vector<Submission> workload;
        for (int i = 0; i < 4; ++i)
          workload.push_back({"job-" + std::to_string(i), 17 * i * times, "app", 1, 12});
        SimulationOptions options = one_node(3);
        options.interval *= times;
        options.restart = 10.0 * times;
        const Outcome outcome =
            simulate(workload, known({application("app", 300, seconds)}), policy, options);
        for (const JobOutcome& job : outcome.jobs) ends[times > 1].push_back(job.completed / times);
      }
      for (std::size_t i = 0; i < ends[0].size(); ++i)
        QVERIFY2(std::abs(ends[1][i] / ends[0][i] - 1) < 0.01, policy.c_str());
    }
  }

  // A second replica is not taken where it makes a step no shorter: on another node, if each has one device.
  void optimusLeavesWhatIsOfNoUse() {
    ProfileData spread = application("app", 600, {1, 0.5});
    spread.placements[{1, 1}] = {{2, 2, 6, {3, 0}}};
    const Outcome alone = simulate({{"a", 0, "app", 1, 12}}, known({std::move(spread)}), "optimus",
                                   {uniform_cluster(2, 1), 60, 0, 0});
    QCOMPARE(first_count(alone.jobs[0]), 1);
    const Applications applications = known({application("app", 600, {1, 2, 0.5})});
    const Outcome outcome = simulate({{"a", 0, "app", 1, 12}}, applications, "optimus", one_node(4));
    QCOMPARE(first_count(outcome.jobs[0]), 1);
  }

  // 60.4 and 60.6 iterations a second each, from 60 s on. An epoch's last stretch, of those within an
  // interval of 60 s, is rounded.
  void epochsEndInWholeSeconds_data() {
    const auto row =
        batchscope::testing::columns<double, double, double>({"iterations", "rounding", "completed"});
    row("as it is", 60.6, 0, 60 + 121.2);
    row("down", 60.4, 1, 60 + 120);
    row("up", 60.6, 1, 60 + 122);
    row("to tens", 64, 10, 60 + 120);
    row("to tens, up", 66, 10, 60 + 140);
  }
  void epochsEndInWholeSeconds() {
    QFETCH(const double, iterations);
    QFETCH(const double, rounding);
    QFETCH(const double, completed);
    ProfileData data = application("app", iterations, {1});
    data.epoch_rounding = rounding;
    const Outcome outcome = simulate({{"a", 0, "app", 1, 12}}, known({std::move(data)}), "fifo", one_node(1));
    QVERIFY2(std::abs(outcome.jobs[0].completed - completed) < 1e-9,
             qPrintable(QString::number(outcome.jobs[0].completed)));
  }
};

BATCHSCOPE_TEST(TestPublishedPolicies)
#include "test_published_policies.moc"
