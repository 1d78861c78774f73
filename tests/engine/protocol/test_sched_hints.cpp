// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's form of what a job knows of its goodput.
#include <QTest>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/sched_hints.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestSchedHints : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areAdaptDls() {
    const Model model{{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 2.5}, 0.7, 1.5, 64, 1024, 16, 256, true, 2, 99};
    const Json expected = Json::parse(R"({
      "initBatchSize": 64, "maxBatchSize": 1024, "localBszBounds": [16, 256], "globalBatchSize": null,
      "maxProfiledReplicas": 2, "gradientAccumulation": true, "gradParams": {"norm": 0.7, "var": 1.5},
      "perfParams": {"alpha_c": 0.1, "beta_c": 0.2, "alpha_n": 0.3, "beta_n": 0.4, "alpha_r": 0.5,
                     "beta_r": 0.6, "gamma": 2.5}})");
    QVERIFY(sched_hints(model) == expected);
    QVERIFY(sched_hints(model_from_sched_hints(expected)) == expected);
  }

  void whatIsNotKnownIsNull() {
    const Json hints = sched_hints({});
    for (const char* name : {"localBszBounds", "gradParams", "perfParams"})
      QVERIFY(hints.contains(name) && hints[name].is_null());
    const Model model = model_from_sched_hints(hints);
    QVERIFY(model.perf.empty());
    QCOMPARE(model.init_batch_size, std::int64_t(0));
    QVERIFY(model_from_sched_hints(Json::parse(R"({"initBatchSize": 8, "new": 1})")).init_batch_size == 8);
  }

  void nonsenseIsRefused() {
    for (const char* text : {"3", R"({"initBatchSize": "many"})", R"({"localBszBounds": [1]})",
                             R"({"gradParams": {"norm": 1}})", R"({"perfParams": {"alpha_c": 1}})"})
      QVERIFY_EXCEPTION_THROWN(model_from_sched_hints(Json::parse(text)), Error);
  }
};

QTEST_APPLESS_MAIN(TestSchedHints)
#include "test_sched_hints.moc"
