// SPDX-License-Identifier: Apache-2.0
//
// The order of a text's windows in columns: every window once whatever the cuts, columns that go on, and no
// change where a pass is cut again as it was.
#include <algorithm>
#include <random>

#include "data/columns.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

using Order = std::vector<std::int64_t>;

class TestColumns : public QObject {
  Q_OBJECT

  std::mt19937_64 engine_{3};
  std::int64_t random(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
  }

  // Up to four cuts, each some whole rows after the one before.
  std::vector<Cut> random_cuts(std::int64_t windows) {
    std::vector<Cut> cuts{{0, random(1, 12)}};
    for (std::int64_t more = random(0, 3); more > 0; --more) {
      const std::int64_t start = cuts.back().start + cuts.back().width * random(1, 5);
      if (start >= windows) break;
      cuts.push_back({start, random(1, 12)});
    }
    return cuts;
  }

 private Q_SLOTS:
  void columns_are_stretches_of_the_text() {
    // 0 1 2 3 | 4 5 6 | 7 8 9
    QCOMPARE(column_order(10, {{0, 3}}), (Order{0, 4, 7, 1, 5, 8, 2, 6, 9, 3}));
    // After the first row, 1 2 3 5 6 8 9 are left: 1 2 3 5 | 6 8 9.
    QCOMPARE(column_order(10, {{0, 3}, {3, 2}}), (Order{0, 4, 7, 1, 6, 2, 8, 3, 9, 5}));
    QCOMPARE(column_order(2, {{0, 5}}), (Order{0, 1}));
  }

  void every_window_once_and_the_past_does_not_change() {
    for (int round = 0; round < 300; ++round) {
      const std::int64_t windows = random(1, 200);
      auto cuts = random_cuts(windows);
      const Order order = column_order(windows, cuts);
      Order sorted = order;
      std::sort(sorted.begin(), sorted.end());
      for (std::int64_t i = 0; i < windows; ++i) QCOMPARE(sorted[static_cast<std::size_t>(i)], i);
      const std::int64_t start = cuts.back().start;
      cuts.pop_back();
      if (cuts.empty()) continue;
      const Order before = column_order(windows, cuts);
      QVERIFY(std::equal(before.begin(), before.begin() + start, order.begin()));
    }
  }

  void cutting_again_with_the_same_width_changes_nothing() {
    for (int round = 0; round < 300; ++round) {
      const std::int64_t windows = random(1, 200);
      auto cuts = random_cuts(windows);
      const Order order = column_order(windows, cuts);
      const Cut last = cuts.back();
      cuts.push_back({last.start + last.width * random(1, 5), last.width});
      if (cuts.back().start < windows) QCOMPARE(column_order(windows, cuts), order);
    }
  }

  void a_column_goes_on_but_for_the_gaps_of_older_cuts() {
    for (int round = 0; round < 300; ++round) {
      const std::int64_t windows = random(1, 200);
      const auto cuts = random_cuts(windows);
      const Order order = column_order(windows, cuts);
      const Cut last = cuts.back();
      std::int64_t gaps = 0, most = 0;
      for (std::int64_t at = last.start + last.width; at < windows; ++at) {
        const std::int64_t step =
            order[static_cast<std::size_t>(at)] - order[static_cast<std::size_t>(at - last.width)];
        QVERIFY(step >= 1);
        gaps += step > 1;
      }
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) most += cuts[i].width;  // one where a column stopped
      QVERIFY(gaps <= most);
    }
  }
};

BATCHSCOPE_TEST(TestColumns)
#include "test_columns.moc"
