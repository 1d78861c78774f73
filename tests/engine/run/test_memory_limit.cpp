// SPDX-License-Identifier: Apache-2.0
//
// How a run finds out how many samples at a time fit into memory, and how many failures that takes.
#include "state/memory_limit.h"

#include <bit>

#include "test_case.h"

using namespace batchscope::run;

namespace {

struct Found {
  std::int64_t bound = 0;
  int failures = 0;
};

// Fails with `bound` samples, and with all that follows, until memory for `most` of them suffices.
Found searched(MemoryLimit limit, std::int64_t bound, std::int64_t most) {
  Found found{bound};
  for (; found.bound > most; ++found.failures) {
    const std::int64_t lower = limit.ran_out(found.bound);
    if (lower < 1 || lower >= found.bound) return {0, 0};  // it would never end
    found.bound = lower;
  }
  return found;
}

// The least whole number n with most * 2^n >= bound.
int doublings(std::int64_t bound, std::int64_t most) {
  return std::bit_width(static_cast<std::uint64_t>((bound - 1) / most));
}

}  // namespace

class TestMemoryLimit : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatFailedIsHalved() {
    MemoryLimit limit;
    QCOMPARE(limit.ran_out(32), 16);
    QCOMPARE(limit.ran_out(16), 8);
    limit.fitted(3);
    QCOMPARE(limit.ran_out(8), 4);
  }

  void oneSampleCannotBeLowered() {
    QCOMPARE(MemoryLimit().ran_out(2), 1);
    QCOMPARE(MemoryLimit().ran_out(1), 0);
    QCOMPARE(MemoryLimit().ran_out(0), 0);
  }

  void betweenWhatFittedAndWhatFailedItIsTheMiddle() {
    MemoryLimit limit;
    limit.fitted(32);
    limit.fitted(64);
    limit.fitted(48);
    QCOMPARE(limit.ran_out(128), 96);
    QCOMPARE(limit.ran_out(96), 80);
    QCOMPARE(limit.ran_out(80), 72);
    QCOMPARE(limit.ran_out(71), 64);
  }

  void whatFittedBeforeIsLoweredByATenth() {
    MemoryLimit limit;
    limit.fitted(100);
    QCOMPARE(limit.ran_out(100), 90);
    limit.fitted(90);
    QCOMPARE(limit.ran_out(90), 81);
    QCOMPARE(limit.ran_out(81), 40);
  }

  // From anywhere to anywhere, whatever else has fitted before.
  void theNumberOfFailuresIsThatOfTheDoublings() {
    for (std::int64_t most = 1; most < 300; ++most)
      for (const std::int64_t bound : {most + 1, 2 * most, 2 * most + 1, 100 * most, std::int64_t{1} << 40}) {
        const auto [found, failures] = searched({}, bound, most);
        QVERIFY(found >= 1 && found <= most);
        QVERIFY(failures <= doublings(bound, most));
        QVERIFY(2 * found + 1 >= most);
      }
    QCOMPARE(searched({}, 1'000'000, 300).failures, 12);
  }

  void growthByDoublingFailsAFewTimesAndStaysNearTheLimit() {
    for (std::int64_t fitted = 1; fitted < 300; ++fitted)
      for (std::int64_t most = fitted; most < 2 * fitted; ++most) {
        MemoryLimit limit;
        limit.fitted(fitted);
        const auto [found, failures] = searched(limit, 2 * fitted, most);
        QVERIFY(found >= fitted && found <= most);
        QVERIFY(failures <= 5);  // each halves what is between, to a tenth
      }
  }
};

BATCHSCOPE_TEST(TestMemoryLimit)
#include "test_memory_limit.moc"
