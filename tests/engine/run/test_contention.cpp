// SPDX-License-Identifier: Apache-2.0
//
// Contention and synchronisation as runs of this machine have shown them, the first guesses of a new one.
#include "batchscope/run/contention.h"

#include <cmath>

#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

storage::MachineModel shown(const std::string& program, double contention,
                            std::vector<int> replicas = {1, 2}) {
  storage::MachineModel one{"aaaaaaaa", program, std::move(replicas), {}};
  one.model.perf = protocol::PerfParams{};
  one.model.residual = 0.01;
  one.model.cores = 1;
  one.model.devices = 2;
  one.model.contention = contention;
  return one;
}

// A micro-batch takes 10 ms, and two replicas wait for so many seconds after it.
storage::MachineModel synchronises(const std::string& program, double seconds,
                                   std::vector<int> replicas = {1, 2}) {
  storage::MachineModel one = shown(program, 0, std::move(replicas));
  one.model.perf = protocol::PerfParams{.alpha_c = 0.006, .beta_c = 1e-3, .alpha_r = seconds, .gamma = 1};
  one.model.max_profiled_local_batch_size = 4;
  return one;
}

std::optional<double> sync_time(const std::vector<storage::MachineModel>& models) {
  return shown_sync_time(models, false, "a");
}

}  // namespace

class TestContention : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsKnownWithoutRuns() { QVERIFY(!shown_contention({}, false)); }

  void aRunOfTheSameProgramKnowsBest() {
    const std::vector models{shown("a", 0.1), shown("b", 0.5), shown("c", 0.6)};
    const auto same = shown_contention(models, false, "a");
    QCOMPARE(same->share, 0.1);
    QCOMPARE(same->runs, 1);
    const auto others = shown_contention(models, false, "d");
    QCOMPARE(others->share, 0.5);
    QCOMPARE(others->runs, 3);
    QCOMPARE(others->least, 0.1);
    QCOMPARE(others->most, 0.6);
  }

  void theNewestFiveOfAProgramCount() {
    std::vector<storage::MachineModel> models;
    for (const double share : {0.3, 0.1, 0.5, 0.2, 0.4}) models.push_back(shown("a", share));
    models.resize(20, shown("a", 0.9));
    const auto five = shown_contention(models, false);
    QCOMPARE(five->share, 0.3);
    QCOMPARE(five->runs, 5);
    QCOMPARE(five->most, 0.5);
  }

  // An even number has its median between the two in the middle.
  void theMiddleOfFourIsBetweenTwo() {
    std::vector<storage::MachineModel> models;
    for (const double share : {0.5, 0.125, 0.375, 0.25}) models.push_back(shown("a", share));
    QCOMPARE(shown_contention(models, false)->share, 0.3125);
  }

  // However many runs there are of one.
  void eachProgramCountsOnce() {
    std::vector models(5, shown("a", 0.1));
    models.push_back(shown("b", 0.3));
    QCOMPARE(shown_contention(models, false)->share, 0.2);
  }

  void coresAndGpusAreToldApart() {
    storage::MachineModel on_gpu = shown("a", 0.05);
    on_gpu.model.cores = 0;
    const std::vector models{shown("a", 0.4), on_gpu};
    QCOMPARE(shown_contention(models, false, "a")->share, 0.4);
    QCOMPARE(shown_contention(models, true, "a")->share, 0.05);
  }

  // A run's own first guess must not come back as news.
  void whatNoRunHasMeasuredIsNotShown() {
    QVERIFY(!shown_contention(std::vector{shown("a", 0.4, {2})}, false));
    QVERIFY(!shown_contention(std::vector{shown("a", 0.4, {2, 4})}, false));  // take turns on two cores
    storage::MachineModel hinted = shown("a", 0);
    hinted.model.residual = -1;
    QVERIFY(!shown_contention(std::vector{hinted}, false));
    storage::MachineModel unfitted = shown("a", 0);
    unfitted.model.perf.reset();
    QVERIFY(!shown_contention(std::vector{unfitted}, false));
    for (const double none : {-0.1, std::nan(""), double(INFINITY)})
      QVERIFY(!shown_contention(std::vector{shown("a", none)}, false));
  }

  void aFitThatIsExactIsOne() {
    storage::MachineModel exact = shown("a", 0);
    exact.model.residual = 0;
    QCOMPARE(shown_contention(std::vector{exact}, false)->share, 0.0);
    storage::MachineModel unknown = shown("a", 0.4, {2, 4});
    unknown.model.devices = 0;  // nobody says that they take turns
    QCOMPARE(shown_contention(std::vector{unknown}, false)->share, 0.4);
  }

  void theSynchronisationOfTheSameProgramCounts() {
    QVERIFY(!sync_time({}));
    QVERIFY(qAbs(*sync_time({synchronises("a", 0.003), synchronises("b", 0.001), synchronises("a", 0.005),
                             synchronises("a", 0.009)}) -
                 0.005) < 1e-12);
  }

  // The gradients of other programs may be larger, and so take longer.
  void ofOtherProgramsTheFastestCounts() {
    QVERIFY(qAbs(*sync_time({synchronises("b", 0.004), synchronises("c", 0.002), synchronises("d", 0.003)}) -
                 0.002) < 1e-12);
  }

  void theUpdateIsNoPartOfIt() {
    storage::MachineModel one = synchronises("a", 0.003);
    one.model.update_time = 0.5;
    QVERIFY(qAbs(*sync_time({one}) - 0.003) < 1e-12);
  }

  // sqrt(10^2 + 7.5^2) ms is 12.5 ms; with as much contention as time sqrt(20^2 + 15^2) ms is 25 ms.
  void onlyWhatDoesNotOverlapCounts() {
    storage::MachineModel one = synchronises("a", 0.0075);
    one.model.perf->gamma = 2;
    QVERIFY(qAbs(*sync_time({one}) - 0.0025) < 1e-12);
    one = synchronises("a", 0.015);
    one.model.perf->gamma = 2;
    one.model.contention = 1;
    QVERIFY(qAbs(*sync_time({one}) - 0.005) < 1e-12);
  }

  // Four cores take a quarter of the time for 4 ms of samples, 7 ms in all; sqrt(7^2 + 24^2) is 25 ms.
  void aReplicaHasItsCores() {
    storage::MachineModel one = synchronises("a", 0.024);
    one.model.perf->gamma = 2;
    one.model.core_exponent = 1;
    one.model.cores = 4;
    QVERIFY(qAbs(*sync_time({one}) - 0.018) < 1e-12);
  }

  void onlySeveralReplicasAtATimeSynchronise() {
    QVERIFY(!sync_time({synchronises("a", 0.003, {1})}));
    QVERIFY(sync_time({synchronises("a", 0.003, {2})}));
    storage::MachineModel one_device = synchronises("a", 0.003);
    one_device.model.devices = 1;
    QVERIFY(!sync_time({one_device}));
    storage::MachineModel unmeasured = synchronises("a", 0.003);
    unmeasured.model.max_profiled_local_batch_size = 0;
    QVERIFY(!sync_time({unmeasured}));
    QVERIFY(!sync_time({synchronises("a", INFINITY)}));
    QVERIFY(!shown_sync_time(std::vector{synchronises("a", 0.003)}, true, "a"));
  }
};

BATCHSCOPE_TEST(TestContention)
#include "test_contention.moc"
