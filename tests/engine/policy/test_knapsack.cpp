// SPDX-License-Identifier: Apache-2.0
//
// The knapsack against trying everything, and against an integer program.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "batchscope/policy/knapsack.h"
#include "rows.h"
#include "test_case.h"
#ifdef BATCHSCOPE_GLPK
#include <glpk.h>
#endif

using namespace batchscope::policy;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Jobs as they are: less cost by each device more, most of them may wait.
std::vector<Options> random_jobs(std::mt19937& random, int count, int most, int kinds, bool concave) {
  std::uniform_real_distribution<double> unit(0.05, 1);
  std::vector<Options> jobs;
  for (int job = 0; job < count; ++job) {
    Options options;
    if (random() % 4 != 0) options.push_back({0, 0, 1000 * unit(random)});
    for (int kind = 0; kind < kinds; ++kind) {
      const double speed = unit(random), exponent = unit(random);
      for (int devices = 1; devices <= most; ++devices) {
        const double worth = concave ? std::pow(devices, exponent) * speed : unit(random);
        if (concave || random() % 3 != 0 || options.empty())
          options.push_back({kind, devices, 1 / (worth + 1e-3)});
      }
    }
    jobs.push_back(options);
  }
  return jobs;
}

double by_trying(const std::vector<Options>& jobs, std::vector<int> left, std::size_t job = 0) {
  if (job == jobs.size()) return 0;
  double best = kNever;
  for (const Option& option : jobs[job]) {
    int& of_kind = left[static_cast<std::size_t>(option.kind)];
    if (option.devices > of_kind) continue;
    of_kind -= option.devices;
    best = std::min(best, option.cost + by_trying(jobs, left, job + 1));
    of_kind += option.devices;
  }
  return best;
}

// The packing is one of the options each, fits, and costs what it says.
void verify(const Packing& packing, const std::vector<Options>& jobs, std::vector<int> left) {
  QVERIFY(packing.feasible);
  QCOMPARE(packing.chosen.size(), jobs.size());
  double cost = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    QVERIFY(packing.chosen[job] < jobs[job].size());
    const Option& option = jobs[job][packing.chosen[job]];
    left[static_cast<std::size_t>(option.kind)] -= option.devices;
    cost += option.cost;
  }
  for (const int of_kind : left) QVERIFY(of_kind >= 0);
  QVERIFY(std::abs(cost - packing.cost) <= 1e-9 * std::abs(cost));
}

#ifdef BATCHSCOPE_GLPK
// min sum x_jo cost_jo, one option a job, no more devices of a kind than there are.
double by_program(const std::vector<Options>& jobs, const std::vector<int>& capacity) {
  glp_prob* const program = glp_create_prob();
  glp_set_obj_dir(program, GLP_MIN);
  const int kinds = static_cast<int>(capacity.size()), count = static_cast<int>(jobs.size());
  glp_add_rows(program, count + kinds);
  for (int job = 0; job < count; ++job) glp_set_row_bnds(program, job + 1, GLP_FX, 1, 1);
  for (int kind = 0; kind < kinds; ++kind)
    glp_set_row_bnds(program, count + kind + 1, GLP_UP, 0, capacity[static_cast<std::size_t>(kind)]);
  for (int job = 0; job < count; ++job)
    for (const Option& option : jobs[static_cast<std::size_t>(job)]) {
      const int column = glp_add_cols(program, 1);
      glp_set_col_kind(program, column, GLP_BV);
      glp_set_obj_coef(program, column, option.cost);
      const int rows[] = {0, job + 1, count + option.kind + 1};
      const double values[] = {0, 1, static_cast<double>(option.devices)};
      glp_set_mat_col(program, column, 2, rows, values);
    }
  glp_iocp how;
  glp_init_iocp(&how);
  how.presolve = GLP_ON;
  how.msg_lev = GLP_MSG_OFF;
  glp_term_out(GLP_OFF);
  const bool solved = glp_intopt(program, &how) == 0 && glp_mip_status(program) == GLP_OPT;
  const double cost = solved ? glp_mip_obj_val(program) : kNever;
  glp_delete_prob(program);
  return cost;
}
#endif

}  // namespace

class TestKnapsack : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isAsGoodAsTryingEverything() {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
      const int kinds = 1 + static_cast<int>(random() % 3);
      const auto jobs = random_jobs(random, 1 + static_cast<int>(random() % 4), 4, kinds, round % 2 == 0);
      std::vector<int> capacity;
      for (int kind = 0; kind < kinds; ++kind) capacity.push_back(static_cast<int>(random() % 7));
      const double best = by_trying(jobs, capacity);
      const Packing packing = pack_exactly(jobs, capacity);
      QCOMPARE(packing.feasible, best < kNever);
      if (!packing.feasible) continue;
      verify(packing, jobs, capacity);
      QVERIFY(std::abs(packing.cost - best) <= 1e-9 * best);
    }
  }

  void isAsGoodAsAnIntegerProgram() {
#ifdef BATCHSCOPE_GLPK
    std::mt19937 random(2);
    for (int round = 0; round < 12; ++round) {
      const auto kinds = static_cast<std::size_t>(1 + round % 3);
      const auto jobs = random_jobs(random, 12, 8, static_cast<int>(kinds), round % 2 == 0);
      const std::vector<int> capacity = std::vector<std::vector<int>>{{24}, {14, 9}, { 10, 7, 6 }}[kinds - 1];
      const Packing packing = pack_exactly(jobs, capacity);
      verify(packing, jobs, capacity);
      const double program = by_program(jobs, capacity);
      QVERIFY2(std::abs(packing.cost - program) <= 1e-6 * program,
               qPrintable(QString("%1, the program %2").arg(packing.cost).arg(program)));
    }
#else
    QSKIP("built without GLPK (Debian: libglpk-dev), the oracle of this test");
#endif
  }

  // The price of each number of devices is that of a knapsack of that size.
  void pricesEveryNumberOfDevices() {
    std::mt19937 random(3);
    const auto jobs = random_jobs(random, 10, 6, 1, true);
    const Packing packing = pack_exactly(jobs, std::vector{20});
    QCOMPARE(packing.curve.size(), 21u);
    for (int devices = 0; devices <= 20; ++devices) {
      const Packing smaller = pack_exactly(jobs, std::vector{devices});
      QCOMPARE(packing.curve[static_cast<std::size_t>(devices)], smaller.feasible ? smaller.cost : kNever);
    }
    QCOMPARE(packing.curve.back(), packing.cost);
  }

  // On jobs that gain less by each device more, the hulls lose next to nothing.
  void isGreedyWithLittleLoss() {
    std::mt19937 random(4);
    double worst = 0;
    for (int round = 0; round < 30; ++round) {
      const auto jobs = random_jobs(random, 40, 16, 1, true);
      const std::vector<int> capacity{64 + static_cast<int>(random() % 64)};
      const Packing greedy = pack_greedily(jobs, capacity), exact = pack_exactly(jobs, capacity);
      verify(greedy, jobs, capacity);
      worst = std::max(worst, greedy.cost / exact.cost - 1);
      QVERIFY(greedy.curve.back() >= exact.curve.back() * (1 - 1e-12));
    }
    QVERIFY2(worst < 0.02, qPrintable(QString::number(worst)));
    for (int round = 0; round < 30; ++round) {
      const auto jobs = random_jobs(random, 12, 6, 2, true);
      verify(pack_greedily(jobs, std::vector{20, 30}), jobs, {20, 30});
    }
  }

  // Where devices suffice for all, the hulls are walked to their ends: wherever the greedy curve falls, no
  // choice of options costs less, whatever the options are.
  void isExactAtEachStepOfTheHulls() {
    std::mt19937 random(6);
    for (int round = 0; round < 200; ++round) {
      auto jobs = random_jobs(random, 1 + static_cast<int>(random() % 5), 6, 1, round % 4 == 0);
      for (Options& options : jobs) std::shuffle(options.begin(), options.end(), random);
      const std::vector<int> capacity{30};
      const Packing greedy = pack_greedily(jobs, capacity), exact = pack_exactly(jobs, capacity);
      verify(greedy, jobs, capacity);
      QCOMPARE(greedy.curve.size(), exact.curve.size());
      double before = kNever;
      for (std::size_t devices = 0; devices < greedy.curve.size(); ++devices) {
        const double least = exact.curve[devices], found = greedy.curve[devices];
        QVERIFY(found <= before && (before == found || std::abs(found - least) <= 1e-9 * least));
        before = found;
      }
      QVERIFY(std::abs(greedy.cost - exact.cost) <= 1e-9 * exact.cost);
      QCOMPARE(greedy.curve.back(), greedy.cost);
    }
  }

  // Few devices, and several kinds of them: it fits where jobs may wait, and loses little where there is one
  // kind.
  void isGreedyOnFewDevices() {
    std::mt19937 random(7);
    double loss = 0;
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
      const int kinds = 1 + round % 2;
      auto jobs = random_jobs(random, 4, 4, kinds, true);
      for (Options& options : jobs)
        if (options.front().devices > 0) options.insert(options.begin(), {0, 0, 1000.0});
      std::vector<int> capacity;
      for (int kind = 0; kind < kinds; ++kind) capacity.push_back(1 + static_cast<int>(random() % 6));
      const Packing greedy = pack_greedily(jobs, capacity);
      verify(greedy, jobs, capacity);
      const double best = by_trying(jobs, capacity);
      QVERIFY(greedy.cost >= best * (1 - 1e-9));
      if (kinds == 1) loss += greedy.cost / best - 1;
    }
    QVERIFY2(loss / kRounds < 0.02, qPrintable(QString::number(loss / kRounds)));
  }

  void goesStepByStep_data() {
    const auto row =
        batchscope::testing::columns<std::vector<Options>, std::vector<int>, std::vector<std::size_t>>(
            {"jobs", "capacity", "chosen"});
    const Options waits{{0, 0, 9.0}, {0, 1, 1.0}};
    row("the first of two jobs", {waits, waits}, {1}, {1, 0});
    row("a steeper one before the first", {waits, {{0, 0, 10.0}, {0, 1, 1.0}}}, {1}, {0, 1});
    row("first the fewest devices for all", {{{0, 2, 1.0}, {0, 1, 5.0}}, {{0, 2, 1.0}, {0, 1, 5.0}}}, {2},
        {1, 1});
    row("then more, in whatever order they are", {{{0, 2, 1.0}, {0, 1, 5.0}}}, {2}, {0});
    row("what fits of options in any order", {{{0, 0, 9.0}, {0, 3, 1.0}, {0, 1, 4.0}, {0, 2, 2.0}}}, {2},
        {3});
    row("what fits of options on a line", {{{0, 0, 3.0}, {0, 1, 2.0}, {0, 2, 1.0}}}, {1}, {1});
    row("the cheapest of as many devices", {{{0, 1, 5.0}, {0, 1, 3.0}}}, {1}, {1});
    row("also where it comes first", {{{0, 1, 3.0}, {0, 1, 5.0}}}, {1}, {0});
    row("the cheapest of as many devices more", {{{0, 0, 9.0}, {0, 1, 5.0}, {0, 1, 3.0}}}, {1}, {2});
    row("the kind of which most are left", {{{0, 1, 3.0}, {1, 1, 3.0}}}, {1, 2}, {1});
    row("the first kind of as many left", {{{0, 1, 3.0}, {1, 1, 3.0}}}, {2, 2}, {0});
    row("the cheaper kind, though fewer are left", {{{0, 1, 2.0}, {1, 1, 3.0}}}, {1, 9}, {0});
    // 5 for a tenth of a kind, 6 for half of another.
    row("the larger saving for its share of a kind", {{{0, 0, 9.0}, {0, 1, 4.0}, {1, 1, 3.0}}}, {10, 2}, {1});
    row("also of the second kind", {{{0, 0, 9.0}, {0, 1, 4.0}, {1, 1, 3.0}}}, {2, 10}, {2});
    row("on with the kind of the first step", {{{0, 0, 9.0}, {0, 1, 4.0}, {1, 1, 4.5}, {1, 2, 0.1}}}, {4, 2},
        {1});
    row("nothing that saves nothing", {{{0, 0, 3.0}, {0, 1, 3.0}, {0, 2, 4.0}}}, {2}, {0});
    row("what fits, past what does not", {{{0, 0, 9.0}, {0, 3, 0.1}}, {{0, 0, 3.0}, {0, 1, 1.0}}}, {2},
        {0, 1});
  }
  void goesStepByStep() {
    QFETCH(const std::vector<Options>, jobs);
    QFETCH(const std::vector<int>, capacity);
    const Packing packing = pack_greedily(jobs, capacity);
    verify(packing, jobs, capacity);
    QTEST(packing.chosen, "chosen");
  }

  void choosesByItsSize() {
    const std::vector<Options> two_and_one{{{0, 0, 1.0}, {0, 1, 1.0}}, {{1, 1, 1.0}}};
    QCOMPARE(exact_steps(two_and_one, std::vector{3, 1}), (3 + 1) * (1 + 1) * 3.0);
    std::mt19937 random(5);
    const auto few = random_jobs(random, 10, 8, 1, true);
    QVERIFY(exact_steps(few, std::vector{64}) <= kMostExactSteps);
    QCOMPARE(pack(few, std::vector{64}).cost, pack_exactly(few, std::vector{64}).cost);
    const auto many = random_jobs(random, 1000, 16, 1, true);
    QVERIFY(exact_steps(many, std::vector{2000}) > kMostExactSteps);
    QCOMPARE(pack(many, std::vector{2000}).cost, pack_greedily(many, std::vector{2000}).cost);
  }

  // One job of 10,000 options on 2999 devices, or of one more. Only the exact way finds the option that saves
  // a little: the hull leads to one that does not fit.
  void isExactUpToTheMostSteps() {
    Options options{{0, 0, 9.0}, {0, 1, 8.9999}, {0, 3000, 0.0}};
    options.resize(10'000, {0, 0, 9.0});
    const std::vector<int> capacity{2999};
    std::vector<Options> job(1, options);
    QCOMPARE(exact_steps(job, capacity), kMostExactSteps);
    QCOMPARE(pack(job, capacity).cost, 8.9999);
    job[0].push_back({0, 0, 9.0});
    QCOMPARE(pack(job, capacity).cost, 9.0);
  }

  // Three jobs that could as well have two devices or none, on three devices.
  void givesNothingTwice() {
    const std::vector<Options> jobs(3, Options{{0, 2, 0.0}, {0, 0, 0.0}});
    verify(pack_exactly(jobs, std::vector{3}), jobs, {3});
    verify(pack_greedily(jobs, std::vector{3}), jobs, {3});
  }

  void refusesNonsense() {
    for (const std::vector<int>& none : {std::vector<int>{}, std::vector{-1}, std::vector{1, -1}}) {
      QVERIFY_EXCEPTION_THROWN(pack_exactly({}, none), std::invalid_argument);
      QVERIFY_EXCEPTION_THROWN(pack_greedily({}, none), std::invalid_argument);
    }
    const std::vector<int> capacity{4};
    for (const Options& options :
         {Options{}, Options{{1, 1, 1.0}}, Options{{0, -1, 1.0}}, Options{{0, 1, kNever}}}) {
      const std::vector<Options> jobs{options};
      QVERIFY_EXCEPTION_THROWN(pack_exactly(jobs, capacity), std::invalid_argument);
      QVERIFY_EXCEPTION_THROWN(pack_greedily(jobs, capacity), std::invalid_argument);
    }
    const std::vector<Options> large{{{0, 5, 1.0}}};
    QVERIFY(!pack_exactly(large, capacity).feasible);
    QVERIFY(!pack_greedily(large, capacity).feasible);
    QVERIFY(pack_exactly({}, capacity).feasible);
  }
};

BATCHSCOPE_TEST(TestKnapsack)
#include "test_knapsack.moc"
