// SPDX-License-Identifier: Apache-2.0
//
// Time-outs are accepted in their order only, and who gave two that conflict is told which.
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/time_outs.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestTimeOuts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDefaultsAreInOrder() { TimeOuts{}.check(); }

  void conflictsNameBothAndWhatToDo_data() {
    QTest::addColumn<double>("collective");
    QTest::addColumn<double>("step");
    QTest::addColumn<double>("rescale");
    QTest::addColumn<double>("checkpoint");
    QTest::addColumn<QStringList>("words");
    using Words = QStringList;
    QTest::newRow("collective, step")
        << 50. << 45. << 60. << 120.
        << Words{"--collective-timeout (50 s)", "--hang-timeout (45 s)", "raise"};
    QTest::newRow("equal") << 45. << 45. << 60. << 120. << Words{"--collective-timeout", "--hang-timeout"};
    QTest::newRow("step, rescale") << 30. << 600. << 60. << 1200.
                                   << Words{"--hang-timeout (600 s)", "--rescale-timeout (60 s)", "raise"};
    QTest::newRow("step, checkpoint")
        << 30. << 300. << 400. << 120. << Words{"--hang-timeout (300 s)", "--checkpoint-timeout (120 s)"};
    QTest::newRow("collective, rescale")
        << 90. << 0. << 60. << 120. << Words{"--collective-timeout", "--rescale-timeout"};
    QTest::newRow("collective, checkpoint")
        << 90. << 0. << 100. << 80. << Words{"--collective-timeout", "--checkpoint-timeout"};
    QTest::newRow("nothing") << 0. << 45. << 60. << 120. << Words{"--collective-timeout (0 s)", "above 0"};
    QTest::newRow("negative") << 30. << -1. << 60. << 120. << Words{"--hang-timeout (-1 s)", "0 for never"};
    QTest::newRow("none") << 30. << double(NAN) << 60. << 120. << Words{"--hang-timeout"};
    QTest::newRow("too long") << 30. << 45. << 1e300 << 120. << Words{"--rescale-timeout", "at most 11 days"};
    QTest::newRow("endless") << 30. << 45. << double(INFINITY) << 120. << Words{"--rescale-timeout"};
  }
  void conflictsNameBothAndWhatToDo() {
    QFETCH(double, collective);
    QFETCH(double, step);
    QFETCH(double, rescale);
    QFETCH(double, checkpoint);
    QFETCH(QStringList, words);
    try {
      TimeOuts{collective, step, rescale, checkpoint}.check();
      QFAIL("they were accepted");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::usage);
      for (const QString& word : words)
        QVERIFY2(QString::fromStdString(error.what()).contains(word), error.what());
    }
  }

  void noHangIsInNobodysWay() { TimeOuts{30, 0, 60, 120}.check(); }

  void aRunKeepsThem() {
    RunSpec spec;
    spec.time_outs = {1, 2, 3, 4};
    spec.non_finite = NonFinite::restore;
    spec.max_local_batch_size = 57;
    const auto read = Json(spec).get<RunSpec>();
    QCOMPARE(read.time_outs.collective, 1.0);
    QCOMPARE(read.time_outs.step, 2.0);
    QCOMPARE(read.time_outs.rescale, 3.0);
    QCOMPARE(read.time_outs.checkpoint, 4.0);
    QCOMPARE(read.non_finite, NonFinite::restore);
    QCOMPARE(read.max_local_batch_size, 57);
    QVERIFY_THROWS_EXCEPTION(Error, Json({{"non_finite", "pray"}}).get<RunSpec>());
  }
};

BATCHSCOPE_TEST(TestTimeOuts)
#include "test_time_outs.moc"
