// SPDX-License-Identifier: Apache-2.0
//
// Fits beside training: the newest rows are fitted, and waiting for them is waiting for the last.
#include "adapt/model_fitter.h"

#include <chrono>
#include <future>
#include <thread>

#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

class TestModelFitter : public QObject {
  Q_OBJECT

  static std::vector<goodput::ProfileRow> rows() {
    goodput::ProfileRow row;
    row.num_nodes = row.num_replicas = 1;
    row.local_batch_size = 8;
    row.accumulation_step_time = row.optimizer_step_time = 0.1;
    return {row};
  }
  static ModelFitter::Done with_update(double seconds) {
    return [seconds](goodput::PerfParams perf) {
      perf.update = seconds;
      return perf;
    };
  }

 private Q_SLOTS:
  void settlingWaitsForTheFitThatRuns() {
    ModelFitter fitter;
    QVERIFY(!fitter.model());
    std::promise<void> begun;
    fitter.fit(rows(), {}, [&](const goodput::PerfParams& perf) {
      begun.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return with_update(0.25)(perf);
    });
    begun.get_future().wait();
    fitter.settle();
    QVERIFY(fitter.model());
    QCOMPARE(fitter.model()->update, 0.25);
  }

  void theNewestRowsReplaceThoseThatWait() {
    ModelFitter fitter;
    std::promise<void> begun, go_on;
    fitter.fit(rows(), {}, [&](const goodput::PerfParams& perf) {
      begun.set_value();
      go_on.get_future().wait();
      return perf;
    });
    begun.get_future().wait();
    int passed_over = 0;
    fitter.fit(rows(), {}, [&](const goodput::PerfParams& perf) {
      ++passed_over;
      return perf;
    });
    fitter.fit(rows(), {}, with_update(0.5));
    go_on.set_value();
    fitter.settle();
    QCOMPARE(passed_over, 0);
    QCOMPARE(fitter.model()->update, 0.5);
  }
};

BATCHSCOPE_TEST(TestModelFitter)
#include "test_model_fitter.moc"
