// SPDX-License-Identifier: Apache-2.0
//
// The course of sweeps: whatever the timing, and however often it is interrupted.
#include "batchscope/sweep/course.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "spaces.h"
#include "test_case.h"

using namespace batchscope::sweep;
using namespace batchscope::testing;
using Kind = StopRule::Kind;
using State = Standing::State;

namespace {

using Records = std::vector<LegRecord>;
using Train = std::function<Outcome(const LegRecord&)>;

SweepFile sweep_of(Method method, Kind kind, int trials) {
  SweepFile sweep;
  sweep.metric = "loss";
  sweep.method = method;
  sweep.trials = trials;
  sweep.seed = 4;
  sweep.stop = {kind, 100, 2700, 3};
  if (kind == Kind::none) sweep.stop = {};
  if (kind == Kind::pbt) sweep.stop.max = 500;  // its rungs are 100 apart
  sweep.parameters = {integer("x", 0, 63), integer("y", 0, 63)};
  return sweep;
}

// Better with every rung, and best near (20, 40); a few fail and a few diverge.
Outcome train(const LegRecord& leg) {
  const double x = *leg.point[0], y = *leg.point[1];
  if (static_cast<int>(x) % 16 == 5) return {{}, 0.1};
  if (static_cast<int>(y) % 16 == 7) return {NAN, 0.1};
  return {std::hypot(x - 20, y - 40) / (leg.rung + 1), 0.1};
}

// Begins what may begin. The one that asks keeps nothing but the records, so that each call is a resumed
// sweep.
void begin_all(const SweepFile& sweep, std::size_t width, Records& records) {
  while (const auto leg = next_leg(sweep, width, records)) records.push_back(*leg);
}

std::vector<std::size_t> under_way(const Records& records) {
  std::vector<std::size_t> running;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (!records[i].outcome) running.push_back(i);
  return running;
}

// Runs the sweep to the end, with whatever leg under way comes first by chance.
Records run(const SweepFile& sweep, std::size_t width, unsigned timing, Records records = {},
            const Train& result = train) {
  std::mt19937 random(timing);
  for (;;) {
    begin_all(sweep, width, records);
    const auto running = under_way(records);
    if (running.empty()) return records;
    if (running.size() > width) throw std::logic_error("too many are under way");
    LegRecord& leg = records[running[random() % running.size()]];
    leg.outcome = result(leg);
  }
}

std::vector<std::tuple<std::size_t, int, Point, std::optional<std::size_t>>> legs_of(const Records& records) {
  std::vector<std::tuple<std::size_t, int, Point, std::optional<std::size_t>>> legs;
  for (const LegRecord& record : records)
    legs.emplace_back(record.trial, record.rung, record.point, record.origin);
  return legs;
}

}  // namespace

class TestCourse : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void timingDoesNotMatter_data() {
    QTest::addColumn<int>("method");
    QTest::addColumn<int>("kind");
    for (const Method method : {Method::grid, Method::random, Method::sobol, Method::tpe})
      for (const Kind kind : {Kind::none, Kind::median, Kind::asha, Kind::pbt})
        QTest::addRow("%d %d", static_cast<int>(method), static_cast<int>(kind))
            << static_cast<int>(method) << static_cast<int>(kind);
  }
  void timingDoesNotMatter() {
    QFETCH(int, method);
    QFETCH(int, kind);
    const SweepFile sweep = sweep_of(static_cast<Method>(method), static_cast<Kind>(kind), 40);
    const Records first = run(sweep, 3, 0);
    for (unsigned timing = 1; timing < 8; ++timing) QVERIFY(legs_of(run(sweep, 3, timing)) == legs_of(first));

    // No trial is lost and no leg is gone twice; each begins where the one before has ended.
    std::map<std::size_t, int> came;
    for (const LegRecord& leg : first) {
      const auto before = came.find(leg.trial);
      QCOMPARE(leg.rung, before == came.end() ? 0 : before->second + 1);
      came[leg.trial] = leg.rung;
    }
    QCOMPARE(came.size(), std::size_t{40});
    for (const Standing& standing : standings(sweep, first)) QVERIFY(standing.state != State::running);
  }

  // A sweep that goes on after an update, or on another machine, has the legs that it would have had. These
  // are the last trials that went on, in their order, and their points.
  void theLegsOfASeedStay_data() {
    QTest::addColumn<Method>("method");
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<QString>("legs");
    QTest::newRow("tpe, asha")
        << Method::tpe << Kind::asha
        << "1.1 11.2 13.1 14.1 15.1 14.2 17.1 18.1 18.2 11.3 20.1 22.1 23.1 (12, 38)(12, 38)";
    QTest::newRow("tpe, median")
        << Method::tpe << Kind::median
        << "19.2 20.2 21.1 21.2 19.3 20.3 21.3 22.1 23.1 22.2 23.2 22.3 23.3 (14, 47)(6, 48)";
    QTest::newRow("random, pbt")
        << Method::random << Kind::pbt
        << " 8.4 9.4 10.4 11.4 12.4 14.4 15.4 17.4 19.4 20.4 21.4 22.4 23.4 (20, 42)(16, 21)";
  }
  void theLegsOfASeedStay() {
    QFETCH(const Method, method);
    QFETCH(const Kind, kind);
    const Records records = run(sweep_of(method, kind, 24), 3, 0);
    QString legs;
    std::vector<Point> points;
    for (const LegRecord& leg : records) {
      if (leg.rung > 0) legs += QString("%1.%2 ").arg(leg.trial).arg(leg.rung);
      points.push_back(leg.point);
    }
    for (std::size_t i = points.size() - 2; i < points.size(); ++i)
      legs += QString("(%1, %2)").arg(*points[i][0]).arg(*points[i][1]);
    QTEST(legs.right(80), "legs");
  }

  // The cost of the sweep without stopping: 40 trials of 2,700 iterations.
  void ashaTrainsLittleOfWhatIsBad() {
    const SweepFile sweep = sweep_of(Method::sobol, Kind::asha, 40);
    const Records legs = run(sweep, 2, 1);
    double iterations = 0;
    for (const LegRecord& leg : legs)
      iterations += *iterations_at(sweep.stop, leg.rung) -
                    (leg.rung > 0 ? *iterations_at(sweep.stop, leg.rung - 1) : 0);
    QVERIFY(iterations < 0.3 * 40 * 2700);
    int finished = 0;
    for (const Standing& standing : standings(sweep, legs)) finished += standing.state == State::finished;
    QVERIFY(finished >= 1 && finished <= 4);
    // The best trial is the best of all but for one or two.
    const Point best = standings(sweep, legs)[best_trial(sweep, legs).value()].point;
    const double value = *train({0, 0, 0, best, {}}).value;
    const auto better = [&](const LegRecord& leg) {
      return leg.rung == 0 && leg.outcome->value.value_or(value) < value;
    };
    QVERIFY(std::ranges::count_if(legs, better) <= 2);
  }

  // Every place is taken as long as there is a trial to begin, with legs that take as long as their
  // iterations.
  void nobodyWaitsForWhatIsExpected() {
    for (const Method method : {Method::tpe, Method::random}) {
      const SweepFile sweep = sweep_of(method, Kind::asha, 40);
      constexpr std::size_t kWidth = 4;
      Records records;
      std::vector<double> end;
      for (double now = 0;;) {
        begin_all(sweep, kWidth, records);
        while (end.size() < records.size()) {
          const LegRecord& leg = records[end.size()];
          const double before = leg.rung > 0 ? *iterations_at(sweep.stop, leg.rung - 1) : 0;
          end.push_back(now + *iterations_at(sweep.stop, leg.rung) - before);
        }
        const auto running = under_way(records);
        if (running.empty()) break;
        if (standings(sweep, records).size() < 40) QCOMPARE(running.size(), kWidth);
        const auto next = *std::ranges::min_element(running, {}, [&](std::size_t leg) { return end[leg]; });
        now = end[next];
        records[next].outcome = train(records[next]);
      }
    }
  }

  // Nobody goes on from a rung before all have come there; then those that are replaced do, from checkpoints
  // that still lie there, with other parameters than their origin's; nobody is lost.
  void aPopulationGoesOnTogether() {
    SweepFile sweep = sweep_of(Method::sobol, Kind::pbt, 10);
    sweep.stop.max = 500;
    const auto result = [](const LegRecord& leg) {
      return Outcome{leg.trial == 3 && leg.rung == 0 ? NAN : *leg.point[0], 0.1};
    };
    const Records legs = run(sweep, 3, 1, {}, result);
    QCOMPARE(legs.size(), std::size_t{10 * 5});
    for (std::size_t rung = 0; rung < 5; ++rung) {
      std::set<std::size_t> trials, gone_on;
      int replaced = 0;
      for (const LegRecord& leg : std::span(legs).subspan(10 * rung, 10)) {
        QCOMPARE(leg.rung, static_cast<int>(rung));
        QCOMPARE(leg.origin.has_value(), rung > 0 && replaced < 2);
        if (leg.origin) {
          ++replaced;
          QVERIFY(!gone_on.contains(*leg.origin) && *leg.origin != leg.trial);
        }
        trials.insert(leg.trial);
        gone_on.insert(leg.trial);
      }
      QCOMPARE(trials.size(), std::size_t{10});
    }
    const auto first =
        std::ranges::find_if(legs, [](const LegRecord& leg) { return leg.origin.has_value(); });
    QVERIFY(first->point != legs[*first->origin].point);
    const auto diverged =
        std::ranges::find_if(legs, [](const LegRecord& leg) { return leg.trial == 3 && leg.rung == 1; });
    QVERIFY(diverged->origin);
    for (const Standing& standing : standings(sweep, legs)) QCOMPARE(standing.state, State::finished);
  }

  // A member that failed or came to its end is not in the population any more.
  void aPopulationGoesOnWithoutThoseThatAreGone() {
    SweepFile sweep = sweep_of(Method::sobol, Kind::pbt, 6);
    sweep.stop.max = 300;
    const auto result = [](const LegRecord& leg) {
      if (leg.trial == 1 && leg.rung == 1) return Outcome{{}, 0.1};
      return Outcome{*leg.point[0], 0.1, leg.trial == 2};
    };
    const Records legs = run(sweep, 2, 1, {}, result);
    QCOMPARE(legs.size(), std::size_t{6 + 5 + 4});
    const auto all = standings(sweep, legs);
    QCOMPARE(all[1].state, State::failed);
    QCOMPARE(all[2].state, State::finished);
    QCOMPARE(all[2].rung, 0);
    for (const LegRecord& leg : legs) QVERIFY(leg.origin != 2u);
  }

  void moreTrialsMayBeAskedFor() {
    SweepFile sweep = sweep_of(Method::tpe, Kind::asha, 12);
    const Records before = run(sweep, 2, 1);
    sweep.trials = 30;
    const Records after = run(sweep, 2, 2, before);
    QVERIFY(
        std::equal(before.begin(), before.end(), after.begin(), [](const LegRecord& a, const LegRecord& b) {
          return a.trial == b.trial && a.rung == b.rung && a.heard == b.heard;
        }));
    QCOMPARE(standings(sweep, after).size(), std::size_t{30});
    // So may another number of devices, and less: then nothing more begins.
    QCOMPARE(standings(sweep, run(sweep, 7, 2, before)).size(), std::size_t{30});
    sweep.trials = 5;
    QVERIFY(!next_leg(sweep, 2, before));
  }

  void theBudgetEndsIt() {
    SweepFile sweep = sweep_of(Method::random, Kind::none, 1000);
    sweep.device_hours = 2;
    const Records legs = run(sweep, 3, 1, {}, [](const LegRecord&) { return Outcome{1.0, 0.25}; });
    QVERIFY(legs.size() >= 8 && legs.size() <= 8 + 3);  // what was under way comes to its end
    // One by one it ends where the budget does.
    QCOMPARE(run(sweep, 1, 1, {}, [](const LegRecord&) { return Outcome{1.0, 0.25}; }).size(), 8u);
  }

  void aGridComesToItsEnd() {
    SweepFile sweep = sweep_of(Method::grid, Kind::none, 1);
    sweep.trials.reset();
    sweep.parameters = {integer("x", 1, 3), choice("y", {"1", "2"})};
    QCOMPARE(run(sweep, 4, 1).size(), std::size_t{6});
  }

  // Where nobody asks for outcomes a slow trial holds nobody up.
  void whoDoesNotListenDoesNotWait() {
    const SweepFile sweep = sweep_of(Method::sobol, Kind::none, 10);
    Records records;
    begin_all(sweep, 2, records);
    for (int i = 0; i < 5; ++i) {
      records.back().outcome = Outcome{1.0};
      begin_all(sweep, 2, records);
      QCOMPARE(under_way(records).size(), std::size_t{2});
    }
  }

  void everyEndIsTold() {
    SweepFile sweep = sweep_of(Method::grid, Kind::asha, 6);
    sweep.goal = Goal::max;
    sweep.parameters = {integer("x", 0, 5)};
    const auto result = [](const LegRecord& leg) {
      switch (static_cast<int>(*leg.point[0])) {
        case 0: return Outcome{{}, 1};
        case 1: return Outcome{INFINITY, 1};
        case 2: return Outcome{0.9, 1, /*at_end=*/true};  // the best, but it has nothing more to train
        default: return Outcome{0.1 * *leg.point[0], 1};
      }
    };
    const Records legs = run(sweep, 1, 1, {}, result);
    const auto all = standings(sweep, legs);
    const State expected[] = {State::failed, State::diverged, State::finished,
                              State::paused, State::paused,   State::paused};
    for (std::size_t i = 0; i < 6; ++i) QCOMPARE(all[i].state, expected[i]);
    QCOMPARE(best_trial(sweep, legs), std::optional<std::size_t>(2));
    QVERIFY(!best_trial(sweep, std::span(legs).first(1)));

    sweep.stop.kind = Kind::median;
    sweep.trials = 20;
    sweep.parameters = {integer("x", 3, 22)};
    int stopped = 0, finished = 0;
    const Records more = run(sweep, 1, 1, {}, result);
    for (const Standing& standing : standings(sweep, more)) {
      stopped += standing.state == State::stopped;
      finished += standing.state == State::finished;
    }
    QCOMPARE(finished, 20);  // each better than those before it
    sweep.goal = Goal::min;
    stopped = 0;
    const Records worse = run(sweep, 1, 1, {}, result);
    for (const Standing& standing : standings(sweep, worse)) stopped += standing.state == State::stopped;
    QCOMPARE(stopped, 15);  // each worse than those before it, when five have come
  }

  // The order is by the rung, then by the value, then the earlier one.
  void trialsAreRanked() {
    const auto at = [](int rung, std::optional<double> value) {
      Standing standing;
      standing.rung = rung;
      standing.value = value;
      return standing;
    };
    const std::vector<Standing> all{at(0, 0.1), at(1, 0.5), at(1, 0.7), at(2, NAN),
                                    at(-1, {}), at(1, 0.5), at(0, 0.2)};
    QCOMPARE(ranking(Goal::min, all), (std::vector<std::size_t>{1, 5, 2, 0, 6}));
    QCOMPARE(ranking(Goal::max, all), (std::vector<std::size_t>{2, 1, 5, 6, 0}));
  }

  void standingsHaveNames() {
    const std::pair<State, const char*> names[] = {
        {State::running, "running"},   {State::paused, "paused"},     {State::stopped, "stopped"},
        {State::finished, "finished"}, {State::diverged, "diverged"}, {State::failed, "failed"}};
    for (const auto& [state, name] : names) QCOMPARE(standing_name(state), name);
  }

  void itsHoursAreOfAllItsLegs() {
    const SweepFile sweep = sweep_of(Method::random, Kind::asha, 2);
    const Point point{1.0, 1.0};
    const Records legs{{0, 0, 0, point, Outcome{1.0, 0.5}},
                       {1, 0, 0, point, Outcome{2.0, 0.25}},
                       {0, 1, 2, point, Outcome{0.5, 0.125}}};
    const auto all = standings(sweep, legs);
    QCOMPARE(all[0].device_hours, 0.625);
    QCOMPARE(all[1].device_hours, 0.25);
    QCOMPARE(all[0].rung, 1);
    QCOMPARE(all[0].value, std::optional(0.5));
  }

  void whatIsNoSweepIsRefused() {
    const SweepFile sweep = sweep_of(Method::random, Kind::asha, 5);
    const Point point{1.0, 1.0};
    const Outcome good{1.0};
    QVERIFY_EXCEPTION_THROWN(next_leg(sweep, 0, {}), std::invalid_argument);
    for (const Records& wrong :
         {Records{{1, 0, 0, point, {}}}, Records{{0, 1, 0, point, {}}}, Records{{0, 0, 1, point, good}},
          Records{{0, 0, 0, point, {}}, {0, 1, 0, point, {}}},
          Records{{0, 0, 0, point, good}, {0, 0, 1, point, {}}}})
      QVERIFY_EXCEPTION_THROWN(next_leg(sweep, 2, wrong), std::invalid_argument);
  }
};

BATCHSCOPE_TEST(TestCourse)
#include "test_course.moc"
