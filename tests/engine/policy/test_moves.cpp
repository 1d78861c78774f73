// SPDX-License-Identifier: Apache-2.0
//
// How often decisions move a job, whatever its models say one after the other.
#include "batchscope/policy/moves.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "batchscope/policy/decision.h"
#include "test_case.h"

using namespace batchscope::policy;

namespace {

constexpr double kBetween = 2;  // s between two decisions, each after new models

// Jobs on one machine, decided upon again and again.
class Afternoon {
 public:
  Afternoon(int devices, std::vector<Job> jobs)
      : cluster_(uniform_cluster(1, devices)), jobs_(std::move(jobs)) {
    moves_.resize(jobs_.size());
  }

  Job& job(std::size_t index) { return jobs_[index]; }
  const std::vector<Move>& moves(std::size_t job) const { return moves_[job]; }
  double now() const { return now_; }

  void decide(Objective objective) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].left_alone = left_alone(moves_[i], now_, jobs_[i].pause);
      jobs_[i].reluctance = reluctance(moves_[i], now_);
    }
    const Decision decision = batchscope::policy::decide(jobs_, cluster_, objective);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Placement& placement = decision.jobs[i].placement;
      const bool restarts = !placement.empty() && !moves_[i].empty();
      if (decision.jobs[i].changed)
        moves_[i].push_back({now_, replicas(placement), restarts ? jobs_[i].pause : 0});
      jobs_[i].placement = placement;
    }
    now_ += kBetween;
  }

 private:
  const Cluster cluster_;
  std::vector<Job> jobs_;
  std::vector<std::vector<Move>> moves_;
  double now_ = 0;
};

Job job(const std::string& name, int least, int most, double pause) {
  Job job;
  job.name = name;
  job.min_replicas = least;
  job.max_replicas = most;
  job.max_profiled = most;
  job.pause = pause;
  return job;
}

// A model that says something else each time, up to so many times as much.
Goodput noisy(std::mt19937& random, double factor) {
  std::uniform_real_distribution<double> log(-std::log(factor), std::log(factor));
  std::vector<double> known;
  for (int count = 0; count <= 8; ++count) known.push_back(std::pow(count, 0.7) * std::exp(log(random)));
  return [known](int, int, int replicas) { return known[static_cast<std::size_t>(std::min(replicas, 8))]; };
}

double most_lost(const std::vector<Move>& moves, double window) {
  double most = 0;
  for (const Move& first : moves) {
    double lost = 0;
    for (const Move& move : moves)
      if (move.time >= first.time && move.time < first.time + window) lost += move.seconds;
    most = std::max(most, lost);
  }
  return most;
}

}  // namespace

class TestMoves : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Without anybody whose turn has come.
  void noSequenceOfModelsCostsMoreThanTheBudget() {
    std::mt19937 random(11);
    for (int round = 0; round < 20; ++round) {
      const double pause = 0.05 * std::pow(10, static_cast<int>(random() % 4));  // up to 50 s
      std::vector<Job> jobs;
      for (int i = 0; i < 3; ++i)
        jobs.push_back(job(std::to_string(i), 1 + static_cast<int>(random() % 2), 4, pause));
      Afternoon afternoon(4, jobs);
      const Objective objective = round % 2 == 0 ? Objective::fair : Objective::fast;
      while (afternoon.now() < 3600) {
        for (std::size_t i = 0; i < jobs.size(); ++i) afternoon.job(i).goodput = noisy(random, 100);
        afternoon.decide(objective);
      }
      const double window = std::max(600.0, 20 * pause);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const double lost = most_lost(afternoon.moves(i), window);
        QVERIFY2(lost <= 0.05 * window * (1 + 1e-9),
                 qPrintable(QString("%1 s of %2, restarts of %3 s").arg(lost).arg(window).arg(pause)));
      }
    }
  }

  // Two jobs on a machine that holds one, and three that share its devices: models that differ by a fifth of
  // what they say do not make them change places again and again.
  void noiseOfModelsMovesNobodyForLong() {
    std::mt19937 random(12);
    for (const int least : {2, 1}) {
      std::vector<Job> jobs;
      for (int i = 0; i < (least == 2 ? 2 : 3); ++i) jobs.push_back(job(std::to_string(i), least, 4, 0.05));
      Afternoon afternoon(least == 2 ? 2 : 4, jobs);
      while (afternoon.now() < 3600) {
        for (std::size_t i = 0; i < jobs.size(); ++i) afternoon.job(i).goodput = noisy(random, 1.2);
        afternoon.decide(Objective::fair);
      }
      for (std::size_t i = 0; i < jobs.size(); ++i)
        QVERIFY2(afternoon.moves(i).size() <= 10,
                 qPrintable(QString("%1 moves within an hour").arg(afternoon.moves(i).size())));
    }
  }

  // However reluctant the one that has devices is, and although it is left alone.
  void whoseTurnHasComeIsServed() {
    std::vector<Job> jobs{job("spent", 1, 2, 10), job("patient", 1, 2, 10)};
    jobs[0].placement = {{0, 1}};
    jobs[0].left_alone = true;
    jobs[0].reluctance = 0.9;
    const Cluster one = uniform_cluster(1, 1);
    QVERIFY(decide(jobs, one, Objective::fair).jobs[1].placement.empty());
    jobs[1].waited = 2;
    const Decision turn = decide(jobs, one, Objective::fair);
    QVERIFY(turn.jobs[0].placement.empty());
    QCOMPARE(turn.jobs[1].why, Why::turn);
  }

  // A job that arrives, and one that a person puts first, need not wait for a reluctant one's turn to end.
  void reluctanceStandsInNobodysWay() {
    std::vector<Job> jobs{job("a", 1, 2, 0.05), job("arrives", 1, 2, 0.05)};
    jobs[0].placement = {{0, 2}};
    jobs[0].reluctance = 0.9;
    QCOMPARE(replicas(decide(jobs, uniform_cluster(1, 2), Objective::fair).jobs[1].placement), 1);
    jobs[0].placement = {{0, 1}};
    jobs[1].weight = 2;
    QCOMPARE(replicas(decide(jobs, uniform_cluster(1, 1), Objective::fair).jobs[1].placement), 1);
    // Nor in its own, where devices are free.
    jobs.resize(1);
    QCOMPARE(replicas(decide(jobs, uniform_cluster(1, 2), Objective::fair).jobs[0].placement), 2);
  }

  void whatWasPublishedKnowsNoBudget() {
    std::vector<Job> jobs{job("a", 1, 4, 1), job("b", 1, 4, 1)};
    jobs[0].placement = {{0, 4}};
    for (const Objective objective : {Objective::pollux, Objective::adaptdl, Objective::sia}) {
      jobs[0].left_alone = false;
      jobs[0].reluctance = 0;
      const Decision before = decide(jobs, uniform_cluster(1, 4), objective);
      jobs[0].left_alone = true;
      jobs[0].reluctance = 0.9;
      const Decision after = decide(jobs, uniform_cluster(1, 4), objective);
      for (std::size_t i = 0; i < jobs.size(); ++i)
        QVERIFY(before.jobs[i].placement == after.jobs[i].placement);
    }
  }

  void countsWhatTheLastMinutesSaw() {
    const std::vector<Move> moves{{0, 1, 0}, {10, 2, 20}, {20, 1, 5}};
    QVERIFY(!left_alone(moves, 30, 5));
    QVERIFY(left_alone(moves, 30, 5.1));
    QVERIFY(!left_alone(moves, 611, 20));
    QVERIFY(!left_alone({}, 0, 1000));
    QCOMPARE(reluctance(moves, 30), 0.1);
    QCOMPARE(reluctance(moves, 3605), 0.0);
    QVERIFY(left_alone(std::vector<Move>{{0, 1, 0}, {11, 2, 15}}, 610, 20));
    QVERIFY(!left_alone(std::vector<Move>{{0, 1, 0}, {10, 2, 15}}, 610, 20));  // ten minutes ago
    QCOMPARE(reluctance(moves, 3599), 0.1);
    QCOMPARE(reluctance(moves, 3600), 0.0);  // an hour ago
    // A pause of 50 s is a twentieth of 1000 s, in which none is left once anything has been lost.
    const std::vector<Move> little{{0, 1, 0.5}};
    QVERIFY(left_alone(little, 800, 50));
    QVERIFY(left_alone(little, 999, 50));
    QVERIFY(!left_alone(little, 1000, 50));
    for (const double pause : {53.3, 60.3, 63.3, 1000.0}) QVERIFY(!left_alone({}, 0, pause));
    std::vector<Move> back_and_forth;
    const double reluctances[] = {0, 0, 0.1, 0.3, 0.7, 0.9, 0.9};  // 0.1 (2^undone - 1), at most 0.9
    for (int i = 0; i < 7; ++i) {
      back_and_forth.push_back({10.0 * i, 1 + i % 2, 0});
      QVERIFY(std::abs(reluctance(back_and_forth, 100) - reluctances[i]) < 1e-12);
    }
    const std::vector<Move> growth{{0, 1, 0}, {10, 2, 1}, {20, 4, 1}, {30, 4, 1}};
    QCOMPARE(reluctance(growth, 40), 0.0);
  }
};

BATCHSCOPE_TEST(TestMoves)
#include "test_moves.moc"
