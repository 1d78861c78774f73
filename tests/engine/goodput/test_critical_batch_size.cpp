// SPDX-License-Identifier: Apache-2.0
//
// The critical batch size of curves that are known in closed form: the means, the error of a difference whose
// common scatter is as large as one likes, and each of the answers.
#include <cmath>
#include <limits>
#include <random>

#include "batchscope/goodput.h"
#include "test_case.h"

using namespace batchscope::goodput;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kSamples = 64 * 64;

// Each step's loss is the mean over its samples of `loss` of a sample's number.
template <class Loss>
BranchCurve curve(std::int64_t batch_size, Loss loss, int samples = kSamples) {
  BranchCurve made{batch_size, {}};
  for (int first = 0; first < samples; first += static_cast<int>(batch_size)) {
    const int count = std::min(static_cast<int>(batch_size), samples - first);
    double sum = 0;
    for (int sample = first; sample < first + count; ++sample) sum += loss(sample);
    made.steps.push_back({static_cast<double>(count), sum / count});
  }
  return made;
}

// The scatter that all branches have, because they see the same samples.
std::vector<double> scatter() {
  std::mt19937_64 random(7);
  std::normal_distribution<> unit;
  std::vector<double> values;
  for (int sample = 0; sample < kSamples; ++sample) values.push_back(unit(random));
  return values;
}

// Branches whose losses lie so far above that of the first.
std::optional<CriticalBatchSize> judged(const std::vector<std::pair<std::int64_t, double>>& excesses,
                                        double own = 0) {
  static const std::vector<double> common = scatter();
  std::mt19937_64 random(11);
  std::normal_distribution<> unit;
  std::vector<BranchCurve> curves;
  for (const auto& [size, excess] : excesses)
    curves.push_back(curve(size, [&, more = excess](int sample) {
      return 10 + common[static_cast<std::size_t>(sample)] + more + own * unit(random);
    }));
  return critical_batch_size(curves, 0.01);
}

}  // namespace

class TestCriticalBatchSize : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // A line that falls by 1 over all samples has as the mean of its last quarter its value at 7/8.
  void aLossIsTheMeanOfTheLastQuarter() {
    const auto line = [](int sample) { return 1 - (sample + 0.5) / kSamples; };
    const auto critical = critical_batch_size({curve(64, line), curve(16, line)}, 0.1);
    QVERIFY(critical);
    QCOMPARE(critical->branches.size(), 2u);
    QCOMPARE(critical->branches[0].batch_size, 16);
    QCOMPARE(critical->branches[0].excess, 0.0);
    QCOMPARE(critical->branches[0].excess_error, 0.0);
    for (const BranchLoss& branch : critical->branches) QVERIFY(std::abs(branch.loss - 0.125) < 1e-12);
    QVERIFY(std::abs(critical->tolerance - 0.0125) < 1e-12);
    QVERIFY(std::abs(critical->branches[1].excess) < 1e-12);
  }

  // A short step at the end of a pass shifts those behind it: a block takes its share of each.
  void stepsNeedNotBeAligned() {
    BranchCurve shifted{32, {{16, 5}}};
    for (int step = 0; step < 128; ++step) shifted.steps.push_back({32, step % 2 ? 3.0 : 1.0});
    const auto critical = critical_batch_size({curve(8, [](int) { return 2.0; }), shifted}, 0.01);
    QVERIFY(critical);
    QVERIFY(std::abs(critical->branches[1].loss - 2) < 0.02);
  }

  // The last 16 samples have a loss of 4, the 8 before them, of a step that began earlier, one of 1.
  void aStepCountsByWhatOfItIsInTheLastQuarter() {
    const auto critical = critical_batch_size({curve(
                                                   8, [](int) { return 2.0; }, 96),
                                               {16, {{80, 1}, {16, 4}}}},
                                              0.01);
    QVERIFY(critical);
    QCOMPARE(critical->branches[1].loss, 3.0);
  }

  // 32 blocks of 1 and 3 in turn, however small the batches are, have an error of sqrt(32 / (32 * 31)).
  void thereAreAtMost32Blocks() {
    const auto turns = [](int sample) { return sample / 32 % 2 ? 3.0 : 1.0; };
    const auto critical = critical_batch_size({curve(1, turns), curve(32, turns)}, 0.01);
    QVERIFY(critical);
    QVERIFY(std::abs(critical->branches[0].error - std::sqrt(1.0 / 31)) < 1e-12);
    QVERIFY(std::abs(critical->branches[1].error - std::sqrt(1.0 / 31)) < 1e-12);
  }

  // Four blocks that differ by 0, 0, 2 and 2 have an excess of 1, with an error of sqrt(4 / (4 * 3)).
  void theErrorIsThatOfTheBlocks() {
    const auto critical = critical_batch_size({curve(
                                                   64, [](int) { return 1.0; }, 1024),
                                               curve(
                                                   32, [](int) { return 1.0; }, 1024)},
                                              0.01);
    QVERIFY(critical && critical->branches[1].excess_error < 1e-12);
    const auto stepped = [](int sample) { return sample >= 1024 - 128 ? 3.0 : 1.0; };
    const auto other = critical_batch_size({curve(
                                                32, [](int) { return 1.0; }, 1024),
                                            curve(64, stepped, 1024)},
                                           0.01);
    QVERIFY(other);
    QCOMPARE(other->branches[1].excess, 1.0);
    QVERIFY(std::abs(other->branches[1].excess_error - std::sqrt(4.0 / 12)) < 1e-12);
    QVERIFY(other->branches[1].verdict == BranchVerdict::unclear);
  }

  // Unless a tolerance is given: as far as other samples would change the loss, and at least 1 %.
  void theToleranceIsTheErrorWhereThatIsLarger() {
    const std::vector<double> common = scatter();
    const auto loss = [&](int sample) { return 1 + common[static_cast<std::size_t>(sample)]; };
    const auto noisy = critical_batch_size({curve(16, loss), curve(32, loss)});
    QVERIFY(noisy && noisy->tolerance > 0.02);
    QCOMPARE(noisy->tolerance, noisy->branches[0].error);
    const auto quiet = critical_batch_size({curve(16, [](int) { return 2.0; }), curve(32, loss)});
    QVERIFY(quiet);
    QCOMPARE(quiet->tolerance, 0.02);
    const auto given = critical_batch_size({curve(16, loss), curve(32, loss)}, 0.001);
    QVERIFY(given);
    QCOMPARE(given->tolerance, 0.001 * given->branches[0].loss);
    const auto two = [](int) { return 2.0; };
    const auto short_one = critical_batch_size({curve(8, two, 64), curve(16, two, 64)});  // of two blocks
    QVERIFY(short_one);
    QCOMPARE(short_one->tolerance, 0.02);
  }

  void whatIsCommonIsNoError() {
    const auto critical = judged({{16, 0}, {32, 0.05}});
    QVERIFY(critical);
    QVERIFY(critical->branches[1].error > 0.02);
    QVERIFY(critical->branches[1].excess_error < 1e-9);
    QVERIFY(std::abs(critical->branches[1].excess - 0.05) < 1e-9);
    QVERIFY(critical->branches[1].verdict == BranchVerdict::within);
  }

  void itIsTheLargestWithinTheTolerance() {
    const auto critical = judged({{16, 0}, {32, 0.01}, {64, 0.5}, {128, 2}});
    QVERIFY(critical);
    QCOMPARE(critical->at_least, 32);
    QVERIFY(critical->below == 64 && !critical->open && critical->size() == 32);
  }

  void itsLimitsAreTold() {
    const auto none_above = judged({{16, 0}, {32, 0.01}, {64, 0.02}});
    QVERIFY(none_above && none_above->at_least == 64 && !none_above->below && !none_above->size());
    const auto all_above = judged({{16, 0}, {32, 1}, {64, 2}});
    QVERIFY(all_above && all_above->at_least == 16 && all_above->below == 32 && !all_above->size());
    const auto between = judged({{16, 0}, {32, 0}, {64, 0.1}, {128, 5}}, 0.5);
    QVERIFY(between && between->at_least == 32 && between->below == 128 && between->open);
    QVERIFY(!between->size());
    const auto nothing = judged({{16, 0}, {32, 0}}, 20);
    QVERIFY(nothing && nothing->at_least == 16 && !nothing->below && nothing->open);
  }

  // One that cannot be told does not count where a larger one is within.
  void aLargerSizeDecides() {
    const auto critical = judged({{16, 0}, {32, 0.1}, {64, 0}}, 0.5);
    QVERIFY(critical);
    QCOMPARE(critical->at_least, 64);
    QVERIFY(!critical->open);
  }

  void aBranchThatDivergedIsAbove() {
    const auto two = [](int) { return 2.0; };
    const auto broken = [](int sample) { return sample > kSamples - 100 ? kNaN : 2.0; };
    const auto critical = critical_batch_size({curve(8, two), curve(16, two), curve(32, broken)}, 0.01);
    QVERIFY(critical && critical->size() == 16 && critical->below == 32);
    QVERIFY(!critical_batch_size({curve(8, broken), curve(16, two)}, 0.01));
  }

  void tooLittleTellsNothing() {
    const auto two = [](int) { return 2.0; };
    QVERIFY(!critical_batch_size({}, 0.01));
    QVERIFY(!critical_batch_size({curve(8, two)}, 0.01));
    const auto few = critical_batch_size({curve(8, two, 128), curve(16, two, 128)}, 0.01);
    QVERIFY(few && few->branches[1].verdict == BranchVerdict::unclear);
    QVERIFY(std::isinf(few->branches[1].error) && std::isfinite(few->branches[0].error));
    const auto three = critical_batch_size({curve(8, two, 192), curve(16, two, 192)}, 0.01);
    QVERIFY(three && three->branches[1].verdict == BranchVerdict::within);
    QCOMPARE(three->branches[1].error, 0.0);
  }

  void anExcessOfTheToleranceIsWithin() {
    const auto critical =
        critical_batch_size({curve(8, [](int) { return 2.0; }), curve(16, [](int) { return 2.25; })}, 0.125);
    QVERIFY(critical);
    QCOMPARE(critical->branches[1].excess, critical->tolerance);
    QVERIFY(critical->branches[1].verdict == BranchVerdict::within);
  }

  // Tables of Student's distribution.
  void studentsQuantiles() {
    for (const auto& [n, t] : {std::pair{4, 3.182}, {5, 2.776}, {9, 2.306}, {17, 2.120}, {32, 2.040}})
      QVERIFY2(std::abs(student_95(n) / t - 1) < 0.01, qPrintable(QString::number(n)));
  }

  // An expansion in 1 / freedom lacks its next term, 1.59 / freedom^4 (Abramowitz and Stegun, 26.7.5).
  void studentsQuantilesLackTheNextTerm() {
    for (const auto& [freedom, t] : {std::pair{16, 2.1199052992212377}, {31, 2.039513446396346}}) {
      const double lacks = (t - student_95(freedom + 1)) * std::pow(freedom, 4);
      QVERIFY2(std::abs(lacks - 1.59) < 0.06, qPrintable(QString::number(lacks)));
    }
  }
};

BATCHSCOPE_TEST(TestCriticalBatchSize)
#include "test_critical_batch_size.moc"
