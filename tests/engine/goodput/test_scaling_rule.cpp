// SPDX-License-Identifier: Apache-2.0
//
// The scaling rules' factors against the golden vectors and at their limits.
#include "golden.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

class TestScalingRule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goldenFactors() {
    const auto vectors = golden::load("scaling_rules.json");
    for (const auto& item : vectors.at("adaptive")) {
      const std::vector<double> sqr = item.at("sqr_avg"), var = item.at("var_avg");
      const double scale = item.at("scale");
      const auto adascale = adascale_factors(sqr, var, scale), adamscale = adamscale_factors(sqr, var, scale);
      for (std::size_t group = 0; group < sqr.size(); ++group) {
        VERIFY_CLOSE("AdaScale " + item.dump(), adascale[group], item.at("AdaScale").at(group));
        VERIFY_CLOSE("AdamScale " + item.dump(), adamscale[group], item.at("AdamScale").at(group));
      }
      VERIFY_CLOSE("LinearScale " + item.dump(), linear_factor(scale), item.at("LinearScale").at(0));
      VERIFY_CLOSE("SqrtScale " + item.dump(), sqrt_factor(scale), item.at("SqrtScale").at(0));
    }
  }

  void goldenLegw() {
    const auto vectors = golden::load("scaling_rules.json");
    for (const auto& item : vectors.at("legw")) {
      VERIFY_CLOSE(item.dump(),
                   legw_factor(item.at("scale"), item.at("base_warmup_epochs"), item.at("data_size"),
                               item.at("batch_size"), item.at("progress")),
                   item.at("factor"));
    }
  }

  // Averages of any sign, as they may be before they are clamped.
  void goldenGains() {
    const auto vectors = golden::load("scaling_rules.json");
    QVERIFY(!vectors.at("gns_gain").empty());
    for (const auto& item : vectors.at("gns_gain")) {
      const std::vector<double> sqr = item.at("sqr_avg"), var = item.at("var_avg");
      std::vector<double> state{0, 0, 0};
      for (std::size_t group = 0; group < sqr.size(); ++group)
        state.insert(state.end(), {sqr[group], 1, sqr[group], var[group], 1, var[group], 0, 0});
      NoiseScale noise(sqr.size());
      noise.restore(state);
      VERIFY_CLOSE("sqr " + item.dump(), noise.sqr(), item.at("gns_sqr"));
      VERIFY_CLOSE("var " + item.dump(), noise.var(), item.at("gns_var"));
      VERIFY_CLOSE("gain " + item.dump(), noise.gain(item.at("scale")), item.at("gain"));
    }
  }

  void adascaleLiesBetweenOneAndScale() {
    QCOMPARE(adascale_factors(std::vector{1e30}, std::vector{0.0}, 8), std::vector{1.0});
    QCOMPARE(adascale_factors(std::vector{0.0}, std::vector{1.0}, 8), std::vector{8.0});
    QCOMPARE(adascale_factors(std::vector{0.0}, std::vector{0.0}, 8),
             std::vector{8.0});  // var's floor counts
    QCOMPARE(adascale_factors(std::vector{1e-6}, std::vector{0.0}, 8), std::vector{2 / (1 / 8.0 + 1)});
    QCOMPARE(adascale_factors(std::vector{2.0}, std::vector{3.0}, 1), std::vector{1.0});
  }

  void legwWarmsUpToTheSquareRoot() {
    QCOMPARE(legw_factor(4, 5, 1000, 100, 0), 0.0);
    QCOMPARE(legw_factor(4, 5, 1000, 100, 100), 1.0);  // half of 5 * 4 epochs of 10 steps
    QCOMPARE(legw_factor(4, 5, 1000, 100, 200), 2.0);
    QCOMPARE(legw_factor(4, 5, 1000, 100, 1e9), 2.0);
    QCOMPARE(legw_factor(4, 0, 1000, 100, 0), 2.0);  // no warm-up
    QCOMPARE(legw_factor(4, 5, 10, 1, 100), 1.0);    // a sample a step
  }

  void wrongArgumentsAreRefused() {
    QVERIFY_EXCEPTION_THROWN(adascale_factors(std::vector{1.0}, std::vector{1.0, 2.0}, 2),
                             std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(legw_factor(4, 5, 1000, 0, 0), std::invalid_argument);
  }
};

BATCHSCOPE_TEST(TestScalingRule)
#include "test_scaling_rule.moc"
