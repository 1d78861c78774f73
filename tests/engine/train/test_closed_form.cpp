// SPDX-License-Identifier: Apache-2.0
//
// Estimates of a noise that is known, through the whole engine: over 200 seeds, the mean of squared norm,
// variance and gain lies within three standard errors, whatever the replicas, the accumulation and S, in both
// modes, through Adam's preconditioner, from the examples of a lone gradient, and after every change of the
// number of replicas.
#include <cmath>

#include "replicas.h"
#include "test_case.h"

using batchscope::protocol::Json;
using namespace batchscope::testing;

namespace {

struct Mean {
  double value = 0, standard_error = 0;
};

Mean mean(const Json& estimates, const char* name) {
  const auto count = static_cast<double>(estimates.size());
  double sum = 0, squares = 0;
  for (const Json& one : estimates) sum += one[name].get<double>();
  for (const Json& one : estimates) squares += std::pow(one[name].get<double>() - sum / count, 2);
  return {sum / count, std::sqrt(squares / (count - 1) / count)};
}

Json generation(int replicas, int accumulation, int local) {
  return {{"replicas", replicas}, {"accumulation", accumulation}, {"local", local}};
}

}  // namespace
Q_DECLARE_METATYPE(Json)

class TestClosedForm : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void estimates_are_right_on_average_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<bool>("examples");
    QTest::addColumn<Json>("generations");
    // The initial batch is 32. From several gradients a step to pairs of steps, and back.
    QTest::newRow("SGD") << "adaptdl"
                         << "sgd" << false
                         << Json{generation(2, 0, 32), generation(1, 3, 32), generation(1, 0, 64),
                                 generation(2, 1, 16)};
    QTest::newRow("paper") << "paper"
                           << "sgd" << false
                           << Json{generation(1, 1, 32), generation(2, 0, 32), generation(1, 0, 64)};
    QTest::newRow("Adam") << "adaptdl"
                          << "adam" << false
                          << Json{generation(1, 1, 32), generation(3, 0, 32), generation(1, 0, 64),
                                  generation(2, 0, 32)};
    // Several gradients a step are used as ever.
    QTest::newRow("examples") << "adaptdl"
                              << "sgd" << true
                              << Json{generation(1, 0, 64), generation(2, 0, 32), generation(1, 0, 128)};
  }
  void estimates_are_right_on_average() {
    QFETCH(QString, mode);
    QFETCH(QString, optimizer);
    QFETCH(bool, examples);
    QFETCH(Json, generations);
    const Json settings{{"mode", mode.toStdString()},
                        {"optimizer", optimizer.toStdString()},
                        {"examples", examples},
                        {"seeds", 200},
                        {"steps", 12},
                        {"generations", generations}};
    const Replica program =
        run({.program = "regression", .arguments = {QString::fromStdString(settings.dump())}})[0];
    QVERIFY2(program.said.contains("generations"), program.errors);
    const double sqr = program.said["sqr"], var = program.said["var"];
    QCOMPARE(program.said["generations"].size(), generations.size());
    for (const Json& generation : program.said["generations"]) {
      const double scale = generation["scale"];
      const Json& first = generation["replicas"][0]["lines"].back()["estimates"];
      QCOMPARE(first.size(), std::size_t(200));
      for (const Json& replica : generation["replicas"])
        QVERIFY(replica["lines"].back()["estimates"] == first);
      verify("sqr", sqr, scale, mean(first, "sqr"));
      verify("var", var, scale, mean(first, "var"));
      verify("gain", (var + sqr) / (var / scale + sqr), scale, mean(first, "gain"));
    }
  }

 private:
  static void verify(const char* name, double known, double scale, const Mean& is) {
    const QString what = QString("%1 at S = %2: %3 +- %4, known %5")
                             .arg(name)
                             .arg(scale)
                             .arg(is.value)
                             .arg(is.standard_error)
                             .arg(known);
    QVERIFY2(is.standard_error < 0.02 * known, qPrintable(what));  // it can tell
    QVERIFY2(std::abs(is.value - known) < 3 * is.standard_error, qPrintable(what));
  }
};

BATCHSCOPE_TEST(TestClosedForm)
#include "test_closed_form.moc"
