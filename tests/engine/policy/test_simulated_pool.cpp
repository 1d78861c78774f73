// SPDX-License-Identifier: Apache-2.0
//
// The simulator as the pool decides, and what holds jobs back: turns, budgets of moves, ages.
#include <algorithm>
#include <cmath>

#include "batchscope/policy/simulation.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::policy;

namespace {

// So many iterations, a second each on one device, and half a second on two.
Application linear(const std::string& name, double iterations) {
  ProfileData data;
  data.name = name;
  data.trainings[8] = {{iterations / 2, iterations / 2, {1, 1}}, {iterations, iterations, {1, 1}}};
  data.placements[{1}] = {{1, 1, 4, {0.5, 0}}, {1, 1, 8, {1.0, 0}}};
  data.placements[{2}] = {{1, 2, 4, {0.5, 0}}};
  return Application(std::move(data));
}

Applications known_lengths() {
  Applications known;
  known.emplace("even", linear("even", 120));
  known.emplace("short", linear("short", 30));
  known.emplace("long", linear("long", 2000));
  return known;
}

double time_taken(const Outcome& outcome, const std::string& name) {
  const auto found = std::find_if(outcome.jobs.begin(), outcome.jobs.end(),
                                  [&](const JobOutcome& job) { return job.name == name; });
  return found->completion_time();
}

double begin_of(const Outcome& outcome, std::size_t job) { return outcome.jobs[job].tenures.at(0).since; }

}  // namespace

class TestSimulatedPool : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // b waits for the end of a, which trains for 120 s from its start on; nothing waits for an interval of 60 s
  // to be over, and only a start takes 10 s.
  void thePoolSeesToFreeDevicesAtOnce() {
    SimulationOptions options{uniform_cluster(1, 1), 60, 30, 0};
    options.as_pool = true;
    options.turn = 1000;
    options.start = 10;
    const std::vector<Submission> workload{{"a", 0, "even", 1, 8}, {"b", 20, "even", 1, 8}};
    const double look = 60.0 / 20;
    for (const std::string policy : {"fair", "fast", "fifo"}) {
      const Outcome outcome = simulate(workload, known_lengths(), policy, options);
      const double a = time_taken(outcome, "a"), b = 20 + time_taken(outcome, "b");
      QVERIFY2(a >= 130 && a <= 130 + look, qPrintable(QString::number(a)));
      QVERIFY2(b >= a + 130 && b <= a + 130 + 2 * look, qPrintable(QString::number(b)));
    }
  }

  // The first to come of equals begins, and the others have their turn only when they have waited for it.
  void thePoolTakesTheFirstToComeFirst() {
    SimulationOptions options{uniform_cluster(1, 1), 5, 1, 0};
    options.as_pool = true;
    options.turn = 50;
    const std::vector<Submission> workload{
        {"a", 0, "even", 1, 8}, {"b", 1, "even", 1, 8}, {"c", 2, "even", 1, 8}};
    const Outcome outcome = simulate(workload, known_lengths(), "fair", options);
    const auto begins = [&](std::size_t job) { return outcome.jobs[job].tenures.front().since; };
    QVERIFY(begins(0) < 5);
    QVERIFY(begins(1) > 45 && begins(1) < begins(2));
  }

  // a begins at 3 s with one device, trains from 13 s on, and at the next round, a minute later, has two: 50
  // iterations in 50 s, a restart of 30 s, and 1950 in 975 s.
  void thePoolMovesEachRound() {
    SimulationOptions options{uniform_cluster(1, 2), 60, 30, 0};
    options.as_pool = true;
    options.start = 10;
    const Outcome outcome = simulate({{"a", 3, "long", 1, 8}}, known_lengths(), "fair", options);
    QCOMPARE(outcome.jobs[0].tenures.size(), 2u);
    QCOMPARE(outcome.jobs[0].tenures[0].since, 3.0);
    QCOMPARE(outcome.jobs[0].tenures[0].until, 63.0);
    QCOMPARE(outcome.jobs[0].completed, 63.0 + 30 + 975);
    QCOMPARE(outcome.jobs[0].restarts, 1);
  }

  // A job that has begun at the first look has more devices at the second round.
  void theSecondRoundIsAnIntervalAfterTheFirst() {
    SimulationOptions options{uniform_cluster(1, 2), 10, 30, 0};
    options.as_pool = true;
    options.start = 4;
    const Outcome outcome = simulate({{"a", 0, "long", 1, 8}}, known_lengths(), "fair", options);
    QCOMPARE(outcome.jobs[0].tenures.size(), 2u);
    QCOMPARE(outcome.jobs[0].tenures[0].since, 0.5);
    QCOMPARE(outcome.jobs[0].tenures[0].until, 10.5);
  }

  // Three devices, of which a may have two. b comes at 70 s, between two rounds, and begins at once.
  void whoComesHasWhatIsFree() {
    SimulationOptions options{uniform_cluster(1, 3), 60, 30, 0};
    options.as_pool = true;
    const Outcome outcome =
        simulate({{"a", 0, "long", 1, 8}, {"b", 70, "even", 1, 8}}, known_lengths(), "fair", options);
    QVERIFY2(begin_of(outcome, 1) >= 70 && begin_of(outcome, 1) < 73,
             qPrintable(QString::number(begin_of(outcome, 1))));
  }

  // There are no devices before.
  void opensLater_data() {
    const auto row = testing::columns<double, double>({"opens", "begin"});
    row("at once", 0, 60);
    row("within an interval", 100, 120);
    row("as an interval ends", 120, 120);
    row("just after it", 121, 180);
  }
  void opensLater() {
    QFETCH(const double, opens);
    SimulationOptions options{uniform_cluster(1, 1), 60, 0, 0};
    options.opens = opens;
    const Outcome outcome = simulate({{"a", 0, "even", 1, 8}}, known_lengths(), "fifo", options);
    QTEST(begin_of(outcome, 0), "begin");
    QCOMPARE(outcome.jobs[0].completed, begin_of(outcome, 0) + 120);
  }

  // Two jobs on one device, from the first decision on: the second has it after two turns. Where nothing else
  // is said, a turn is an interval, or two restarts.
  void aTurnLasts_data() {
    const auto row =
        testing::columns<double, double, double, double>({"interval", "restart", "turn", "begin"});
    row("two restarts", 5, 30, 0, 5 + 2 * 60);
    row("an interval", 25, 5, 0, 25 + 2 * 25);
    row("as long as is said", 5, 5, 40, 5 + 2 * 40);
    row("a second", 0.25, 0.1, 1, 0.25 + 2 * 1);
  }
  void aTurnLasts() {
    QFETCH(const double, interval);
    QFETCH(const double, restart);
    QFETCH(const double, turn);
    SimulationOptions options{uniform_cluster(1, 1), interval, restart, 0};
    options.turn = turn;
    const std::vector<Submission> workload{{"a", 0, "long", 1, 8}, {"b", 0, "even", 1, 8}};
    QTEST(begin_of(simulate(workload, known_lengths(), "fair", options), 1), "begin");
  }

  // Under pollux a change is worth (age - restarts * pause) / (age + pause). A job that has been on one
  // device alone expects a third more of two, so that it has them at an age of three restarts.
  void ageOutweighsARestart() {
    SimulationOptions options{uniform_cluster(1, 2), 10, 100, 0};
    options.start = 0;
    const Outcome outcome = simulate({{"a", 1000, "long", 1, 8}}, known_lengths(), "pollux", options);
    const std::vector<Tenure>& tenures = outcome.jobs[0].tenures;
    QCOMPARE(tenures.size(), 2u);
    QVERIFY2(tenures[0].until > 1300 && tenures[0].until <= 1320,
             qPrintable(QString::number(tenures[0].until)));
  }

  // As above, up to an age of three restarts. At 450 s another job comes, which takes one of the two devices
  // and ends soon. The first one has two restarts behind it then, and what it has measured says that two
  // devices are twice as good: worth another one once (age - 200) / (age + 100) is above a half.
  void eachRestartCountsAgainstTheNext() {
    SimulationOptions options{uniform_cluster(1, 2), 10, 100, 0};
    options.start = 0;
    const Outcome outcome =
        simulate({{"a", 1000, "long", 1, 8}, {"b", 1450, "short", 1, 8}}, known_lengths(), "pollux", options);
    const std::vector<Tenure>& tenures = outcome.jobs[0].tenures;
    QCOMPARE(outcome.jobs[0].restarts, 3);
    QCOMPARE(replicas(tenures.at(2).placement), 1);
    QVERIFY2(tenures[2].until >= 1500 && tenures[2].until <= 1530,
             qPrintable(QString::number(tenures[2].until)));
  }

  // Two jobs that take as long, with steps of a second and of a hundredth: what their models say of a second
  // device differs by a hair. Of three devices the third one is for the first to come in the pool, whichever
  // that is; otherwise it is for the one to which it is worth a hair more.
  void theFirstToComeWeighsAHairMore() {
    Applications known = known_lengths();
    ProfileData data;
    data.name = "quick steps";
    data.trainings[8] = {{1e5, 1e5, {1, 1}}, {2e5, 2e5, {1, 1}}};
    data.placements[{1}] = {{1, 1, 4, {0.005, 0}}, {1, 1, 8, {0.01, 0}}};
    data.placements[{2}] = {{1, 2, 4, {0.005, 0}}};
    known.emplace("quick steps", Application(std::move(data)));
    SimulationOptions options{uniform_cluster(1, 3), 5, 1, 0};
    for (const bool as_pool : {false, true}) {
      options.as_pool = as_pool;
      std::vector<std::size_t> first;
      for (const bool swapped : {false, true}) {
        std::vector<Submission> workload{{"a", 0, "long", 1, 8}, {"b", 0, "quick steps", 1, 8}};
        if (swapped) std::swap(workload[0], workload[1]);
        const Outcome outcome = simulate(workload, known, "fair", options);
        first.push_back(outcome.jobs[0].tenures.at(1).since < outcome.jobs[1].tenures.at(1).since ? 0 : 1);
      }
      QCOMPARE(first[0] == first[1], as_pool);
      if (as_pool) QCOMPARE(first[0], 0u);
    }
  }

  // a has had its 16 hours 57,600 s after its start at the first look, which is nobody's news: b has its turn
  // as the interval of then is over.
  void whoHasDevicesIsMovedAsAnIntervalEnds() {
    SimulationOptions options{uniform_cluster(1, 1), 10'000, 0, 0};
    options.as_pool = true;
    Applications known;
    known.emplace("day", linear("day", 86'400));
    const Outcome outcome =
        simulate({{"a", 0, "day", 1, 8}, {"b", 0, "day", 1, 8}}, known, "tiresias", options);
    QCOMPARE(begin_of(outcome, 0), 500.0);
    QCOMPARE(outcome.jobs[0].tenures[0].until, 500.0 + 60'000);
    QCOMPARE(begin_of(outcome, 1), 500.0 + 60'000);
  }

  // Three devices for two jobs. The third one is for the shorter job where that is known from the beginning.
  // In the pool nobody knows what is left of a job before a two-hundredth of it is done: the first to come
  // has it.
  void whoNeedsLessHasMoreOnceThatIsKnown() {
    Applications known = known_lengths();
    known.emplace("longer", linear("longer", 8000));
    SimulationOptions options{uniform_cluster(1, 3), 5, 1, 0};
    for (const bool as_pool : {false, true}) {
      options.as_pool = as_pool;
      const Outcome outcome =
          simulate({{"b", 0, "longer", 1, 8}, {"a", 0, "long", 1, 8}}, known, "fast", options);
      const std::vector<Tenure>&first = outcome.jobs[as_pool ? 0 : 1].tenures,
            &second = outcome.jobs[as_pool ? 1 : 0].tenures;
      QCOMPARE(replicas(first.at(1).placement), 2);
      QVERIFY(first.at(1).since < second.at(1).since);
    }
  }

  // Short jobs come and go beside a long one, which gives them one of its two devices each time and has it
  // back afterwards. With a budget it is left alone once a restart of 25 s has been paid for.
  void aBudgetKeepsMovesFew() {
    std::vector<Submission> workload{{"a", 0, "long", 1, 8}};
    for (int i = 0; i < 5; ++i) workload.push_back({"b" + std::to_string(i), 200 + 150 * i, "short", 1, 8});
    SimulationOptions options{uniform_cluster(1, 2), 10, 25, 0};
    for (const std::string policy : {"fair", "fast"}) {
      options.budgets_moves = false;
      const Outcome free = simulate(workload, known_lengths(), policy, options);
      options.budgets_moves = true;
      const Outcome bound = simulate(workload, known_lengths(), policy, options);
      QVERIFY2(free.jobs[0].restarts >= 8, qPrintable(QString::number(free.jobs[0].restarts)));
      QVERIFY2(bound.jobs[0].restarts <= 4, qPrintable(QString::number(bound.jobs[0].restarts)));
    }
  }
};

BATCHSCOPE_TEST(TestSimulatedPool)
#include "test_simulated_pool.moc"
