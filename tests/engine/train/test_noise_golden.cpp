// SPDX-License-Identifier: Apache-2.0
//
// Statistics from data, in one and in two real processes: AdaptDL's recorded trajectories, norms within 1e-5.
// (The recurrences alone, fed with recorded norms, are goodput's test.)
#include <cmath>

#include "../goodput/golden.h"
#include "replicas.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

namespace {

// Single precision makes its way through fifty steps; values near zero come from differences of larger ones.
bool near_golden(double actual, double expected, double size, double tolerance = 1e-5) {
  return std::abs(actual - expected) <= tolerance * std::max(std::abs(expected), size);
}

// AdaptDL computes 1 - beta2^t of Adam's divisor in single precision: of 1 - 0.999^5 a part in 50,000 may be
// lost.
double tolerance_of(const Json& config) { return config.value("rule", Json()).is_null() ? 1e-5 : 5e-5; }

}  // namespace

class TestNoiseGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followsTheTrajectory_data() { batchscope::golden::trajectory_rows("gns"); }

  void followsTheTrajectory() {
    QFETCH(std::string, file);
    QFETCH(int, index);
    const Json trajectory = batchscope::golden::trajectory(file, index);
    const Json& config = trajectory["config"];
    const auto replicas =
        run({"noise",
             {QString::fromStdString(batchscope::golden::path(file)), QString::fromStdString(config["name"])},
             config["replicas"].get<int>()});
    QVERIFY(all_ended(replicas));
    for (const Replica& replica : replicas) {
      QVERIFY2(replica.said.contains("steps"), replica.said.dump().c_str());
      QVERIFY(trajectory["steps"].size() >= 20);
      QCOMPARE(replica.said["steps"].size(), trajectory["steps"].size());
      for (std::size_t s = 0; s < trajectory["steps"].size(); ++s) {
        const Json& expected = trajectory["steps"][s];
        const Json& actual = replica.said["steps"][s];
        const auto verify = [&](const char* name, double is, double should, double size) {
          const QString what = QString("step %1, %2: %3, expected %4")
                                   .arg(s)
                                   .arg(name)
                                   .arg(is, 0, 'g', 12)
                                   .arg(should, 0, 'g', 12);
          QVERIFY2(near_golden(is, should, size, tolerance_of(config)), qPrintable(what));
        };
        for (const char* name : {"local_sqr_sum", "avg_grad_sqr", "prev_grad_sqr", "mean_of_two_grads_sqr"}) {
          if (expected[name].is_null()) {
            QVERIFY2(actual[name].empty(), name);
            continue;
          }
          QCOMPARE(actual[name].size(), expected[name].size());
          for (std::size_t g = 0; g < expected[name].size(); ++g)
            verify(name, actual[name][g], expected[name][g], expected["local_sqr_sum"][g]);
        }
        QCOMPARE(actual["count"].get<int>(),
                 expected["accum_count"].get<int>() * expected["num_replicas"].get<int>());
        QCOMPARE(actual["scale"].get<double>(), expected["scale"].get<double>());
        QCOMPARE(actual["biased_flag"].get<bool>(), expected["biased_flag"].get<bool>());
        for (const char* name : {"raw_sqr_avg", "raw_var_avg"})
          for (std::size_t g = 0; g < expected[name].size(); ++g)
            verify(name, actual[name][g], expected[name][g], expected["raw_var_avg"][g]);
        for (const char* name : {"sqr_avg", "var_avg", "gain", "progress_after"})
          verify(name, actual[name], expected[name], expected["var_avg"]);
        verify("lr_factor", actual["lr_factor"], expected["lr_factor"][0], 1);
      }
      for (std::size_t p = 0; p < trajectory["final_weights"].size(); ++p)
        for (std::size_t i = 0; i < trajectory["final_weights"][p].size(); ++i) {
          const double is = replica.said["weights"][p][i], should = trajectory["final_weights"][p][i];
          QVERIFY2(near_golden(is, should, 1), qPrintable(QString("weight %1 of %2").arg(i).arg(p)));
        }
    }
  }
};

BATCHSCOPE_TEST(TestNoiseGolden)
#include "test_noise_golden.moc"
