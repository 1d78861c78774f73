// SPDX-License-Identifier: Apache-2.0
//
// AdaptDL's form of what a job knows of its goodput.
#include "batchscope/protocol/sched_hints.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestSchedHints : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areAdaptDls() {
    const Model model{PerfParams{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 2.5},
                      0.7,
                      1.5,
                      0.1,
                      64,
                      1024,
                      16,
                      256,
                      true,
                      false,
                      0,
                      0,
                      2,
                      99};
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
    for (const char* name : {"maxBatchSize", "localBszBounds", "gradParams", "perfParams"})
      QVERIFY(hints.contains(name) && hints[name].is_null());
    const Model model = model_from_sched_hints(hints);
    QVERIFY(!model.perf);
    QCOMPARE(model.init_batch_size, std::int64_t(0));
    QVERIFY(model_from_sched_hints(Json::parse(R"({"initBatchSize": 8, "new": 1})")).init_batch_size == 8);
    const Model one = model_from_sched_hints(Json::parse(R"({"localBszBounds": [16, 16]})"));
    QVERIFY(one.min_local_batch_size == 16 && one.max_local_batch_size == 16);
  }

  // AdaptDL tells them of jobs whose batch size it chooses.
  void statisticsAreToldOfAnyJobThatHasSome() {
    Model model;
    model.grad_sqr = 0.5;
    model.grad_var = 2;
    QVERIFY(sched_hints(model)["gradParams"] == Json::parse(R"({"norm": 0.5, "var": 2.0})"));
  }

  void theBatchSizeInUseMayBeTold() {
    QCOMPARE(hinted_batch_size(Json::parse(R"({"globalBatchSize": 128})")), std::int64_t(128));
    QCOMPARE(hinted_batch_size(Json::parse(R"({"globalBatchSize": null})")), std::int64_t(0));
  }

  void nonsenseIsRefusedByName_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* text, const char* named) {
      QTest::newRow(text) << QByteArray(text) << QByteArray(named);
    };
    row(R"({"initBatchSize": "many"})", "initBatchSize");
    row(R"({"initBatchSize": -1})", "initBatchSize");
    row(R"({"initBatchSize": true})", "initBatchSize");
    row(R"({"maxBatchSize": 3.5})", "maxBatchSize");
    row(R"({"maxBatchSize": 1e300})", "maxBatchSize");
    row(R"({"globalBatchSize": []})", "globalBatchSize");
    row(R"({"maxProfiledReplicas": 4294967297})", "maxProfiledReplicas");
    row(R"({"gradientAccumulation": 1})", "gradientAccumulation");
    row(R"({"localBszBounds": 16})", "localBszBounds");
    row(R"({"localBszBounds": [1]})", "localBszBounds");
    row(R"({"localBszBounds": [64, 16]})", "localBszBounds");
    row(R"({"localBszBounds": [1, "16"]})", "localBszBounds[1]");
    row(R"({"gradParams": 2})", "gradParams");
    row(R"({"gradParams": {"norm": 1}})", "gradParams.var");
    row(R"({"gradParams": {"norm": -1, "var": 1}})", "gradParams.norm");
    row(R"({"perfParams": {"alpha_c": 1}})", "perfParams.beta_c");
    row(R"({"perfParams": {"alpha_c":1,"beta_c":1,"alpha_n":1,"beta_n":1,"alpha_r":1,"beta_r":1,"gamma":0.5}})",
        "perfParams.gamma");
  }
  void nonsenseIsRefusedByName() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    VERIFY_THROWS("usage", named.toStdString(), const Json hints = Json::parse(text.toStdString());
                  model_from_sched_hints(hints); hinted_batch_size(hints));
  }

  void whatIsNoObjectIsRefused() {
    VERIFY_THROWS("usage", "must be a JSON object", model_from_sched_hints(Json(3)));
    VERIFY_THROWS("usage", "must be a JSON object", hinted_batch_size(Json(3)));
  }

  // As much as a line shows well: of what is longer, the first 60 bytes.
  void whatIsRefusedIsQuotedUpTo60Bytes() {
    for (const std::size_t length : {60, 61}) {
      const std::string text = '"' + std::string(length - 2, 'x') + '"';
      QCOMPARE(testing::thrown_by(
                   [&] { model_from_sched_hints(Json::parse(R"({"initBatchSize":)" + text + "}")); }),
               "usage: sched hint 'initBatchSize': expected a whole number of at least 0, not " +
                   text.substr(0, 60));
    }
  }
};

BATCHSCOPE_TEST(TestSchedHints)
#include "test_sched_hints.moc"
