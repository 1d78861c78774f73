// SPDX-License-Identifier: Apache-2.0
//
// Prefetching keeps the order, stays within bounds, and hands exceptions and time-outs to the loop.
#include <ATen/ops/full.h>

#include <atomic>
#include <future>
#include <set>
#include <stdexcept>
#include <thread>

#include "loader/prefetcher.h"
#include "test_case.h"
#include "thrown.h"

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
        50, {workers});
    for (std::int64_t i = 0; i < 50; ++i) QCOMPARE(prefetcher.next().data.data_ptr<std::int64_t>()[0], i);
  }

  void makes_no_more_ahead_than_it_may_data() {
    QTest::addColumn<int>("factor");
    for (const int factor : {1, 2, 5}) QTest::addRow("%d a worker", factor) << factor;
  }
  void makes_no_more_ahead_than_it_may() {
    QFETCH(int, factor);
    std::atomic<std::int64_t> most = -1;
    {
      Prefetcher prefetcher(
          [&](std::int64_t number) {
            for (std::int64_t seen = most; number > seen && !most.compare_exchange_weak(seen, number);) {
            }
            return numbered(number);
          },
          100, {2, factor});
      prefetcher.next();
    }
    QVERIFY(most <= 2 * factor);
  }

  void an_exception_comes_out_where_its_batch_would() {
    Prefetcher prefetcher(
        [](std::int64_t number) {
          if (number == 2) throw std::runtime_error("row 2 is unreadable");
          return numbered(number);
        },
        5, {2});
    prefetcher.next();
    prefetcher.next();
    QVERIFY_EXCEPTION_THROWN(prefetcher.next(), std::runtime_error);
    QCOMPARE(prefetcher.next().data.data_ptr<std::int64_t>()[0], 3);
  }

  // Each worker begins on its own thread, with its number, before its first batch.
  void each_worker_begins_once() {
    static thread_local int here = -1;
    std::mutex mutex;
    std::multiset<int> begun;
    Prefetcher prefetcher([](std::int64_t) { return numbered(here); }, 60,
                          {3, 2, [&](int worker) {
                             here = worker;
                             const std::lock_guard lock(mutex);
                             begun.insert(worker);
                           }});
    for (int i = 0; i < 60; ++i) QVERIFY(prefetcher.next().data.data_ptr<std::int64_t>()[0] >= 0);
    const std::lock_guard lock(mutex);
    for (const int worker : begun) QCOMPARE(begun.count(worker), std::size_t{1});
    QVERIFY(!begun.empty() && *begun.begin() >= 0 && *begun.rbegin() <= 2);
  }

  void a_worker_that_cannot_begin_is_told_of() {
    Prefetcher prefetcher(numbered, 5, {1, 2, [](int) { throw std::runtime_error("no licence"); }});
    QVERIFY_EXCEPTION_THROWN(prefetcher.next(), std::runtime_error);
  }

  void a_batch_that_does_not_come_is_told_of() {
    std::promise<void> released;
    const std::shared_future<void> release = released.get_future().share();
    Prefetcher prefetcher(
        [&](std::int64_t number) {
          if (number == 1) release.wait();
          return numbered(number);
        },
        3, {1, 2, {}, std::chrono::milliseconds(20)});
    while (true) try {  // a machine that is busy may need longer for the first, too
        prefetcher.next();
        break;
      } catch (const Error&) {
      }
    VERIFY_THROWS("timeout", "20 ms", prefetcher.next());
    released.set_value();
  }
};

BATCHSCOPE_TEST(TestPrefetcher)
#include "test_prefetcher.moc"
