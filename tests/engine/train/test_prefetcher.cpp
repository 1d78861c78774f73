// SPDX-License-Identifier: Apache-2.0
//
// Prefetching keeps the order, stays within bounds and hands exceptions to the loop.
#include <ATen/ops/full.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "loader/prefetcher.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::train;

namespace {

Batch numbered(std::int64_t number) {
  const at::Tensor value = at::full({1}, number, at::kLong);
  return {value, value, 1};
}

}  // namespace

class TestPrefetcher : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void hands_out_in_order_data() {
    QTest::addColumn<int>("workers");
    for (const int workers : {0, 1, 3}) QTest::addRow("%d workers", workers) << workers;
  }
  void hands_out_in_order() {
    QFETCH(int, workers);
    Prefetcher prefetcher(
        [](std::int64_t number) {
          if (number % 3 == 0) std::this_thread::yield();
          return numbered(number);
        },
        50, workers);
    for (std::int64_t i = 0; i < 50; ++i) QCOMPARE(prefetcher.next().data.data_ptr<std::int64_t>()[0], i);
  }

  void makes_no_more_than_two_a_worker_ahead() {
    std::atomic<std::int64_t> most = -1;
    {
      Prefetcher prefetcher(
          [&](std::int64_t number) {
            for (std::int64_t seen = most; number > seen && !most.compare_exchange_weak(seen, number);) {
            }
            return numbered(number);
          },
          100, 2);
      prefetcher.next();
    }
    QVERIFY(most <= 4);
  }

  void an_exception_comes_out_where_its_batch_would() {
    Prefetcher prefetcher(
        [](std::int64_t number) {
          if (number == 2) throw std::runtime_error("row 2 is unreadable");
          return numbered(number);
        },
        5, 2);
    prefetcher.next();
    prefetcher.next();
    QVERIFY_EXCEPTION_THROWN(prefetcher.next(), std::runtime_error);
    QCOMPARE(prefetcher.next().data.data_ptr<std::int64_t>()[0], 3);
  }
};

BATCHSCOPE_TEST(TestPrefetcher)
#include "test_prefetcher.moc"
