// SPDX-License-Identifier: Apache-2.0
//
// Contention as runs of this machine have shown it, the first guess of a new one.
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
    QVERIFY(same->same);
    QCOMPARE(same->guess(), 0.1);
    const auto others = shown_contention(models, false, "d");
    QCOMPARE(others->share, 0.5);
    QCOMPARE(others->runs, 3);
    QCOMPARE(others->least, 0.1);
    QCOMPARE(others->most, 0.6);
    QVERIFY(!others->same);
    QCOMPARE(others->guess(), 0.25);
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
};

BATCHSCOPE_TEST(TestContention)
#include "test_contention.moc"
