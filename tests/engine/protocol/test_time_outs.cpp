// SPDX-License-Identifier: Apache-2.0
//
// Time-outs are accepted in their order only, and who gave two that conflict is told which.
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/time_outs.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestTimeOuts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDefaultsAreInOrder() { TimeOuts{}.check(); }

  void conflictsNameBothAndWhatToDo_data() {
    const auto row = testing::columns<double, double, double, double, QStringList>(
        {"collective", "step", "rescale", "checkpoint", "words"});
    row("collective, step", 50., 45., 60., 120.,
        {"--collective-timeout (50 s)", "--hang-timeout (45 s)", "raise"});
    row("equal", 45., 45., 60., 120., {"--collective-timeout", "--hang-timeout"});
    row("step, rescale", 30., 600., 60., 1200.,
        {"--hang-timeout (600 s)", "--rescale-timeout (60 s)", "raise"});
    row("step, checkpoint", 30., 300., 400., 120.,
        {"--hang-timeout (300 s)", "--checkpoint-timeout (120 s)"});
    row("collective, rescale", 90., 0., 60., 120., {"--collective-timeout", "--rescale-timeout"});
    row("collective, checkpoint", 90., 0., 100., 80., {"--collective-timeout", "--checkpoint-timeout"});
    row("nothing", 0., 45., 60., 120., {"--collective-timeout (0 s)", "above 0"});
    row("negative", 30., -1., 60., 120., {"--hang-timeout (-1 s)", "0 for never"});
    row("none", 30., NAN, 60., 120., {"--hang-timeout"});
    row("too long", 30., 45., 1e300, 120., {"--rescale-timeout", "at most 11 days"});
    row("endless", 30., 45., INFINITY, 120., {"--rescale-timeout"});
  }
  void conflictsNameBothAndWhatToDo() {
    QFETCH(double, collective);
    QFETCH(double, step);
    QFETCH(double, rescale);
    QFETCH(double, checkpoint);
    QFETCH(QStringList, words);
    const TimeOuts time_outs{collective, step, rescale, checkpoint};
    for (const QString& word : words) VERIFY_THROWS("usage", word.toStdString(), time_outs.check());
  }

  void whoMeetsGivesUpBeforeWhoWaitsForTheFirstStep() {
    QCOMPARE((TimeOuts{30, 45, 60, 120}.meeting()), 54.0);
    QCOMPARE((TimeOuts{30, 45, 600, 120}.meeting()), 120.0);
    QCOMPARE((TimeOuts{59, 0, 60, 120}.meeting()), 59.0);
  }

  void noHangIsInNobodysWay() { TimeOuts{30, 0, 60, 120}.check(); }

  void theLongestIsAllowed() { TimeOuts{30, 45, 1e6, 1e6}.check(); }

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
