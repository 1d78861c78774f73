// SPDX-License-Identifier: Apache-2.0
//
// Sweeps and their trials in words, and as JSON for a page; and the tone of every state.
#include "batchscope/common/sweep_text.h"

#include <QLocale>
#include <cmath>

#include "batchscope/common/sweep_json.h"
#include "batchscope/common/tone.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::common;
using State = sweep::Standing::State;
using storage::SweepState;

namespace {

sweep::SweepView viewOf(SweepState state, const std::vector<State>& trials, bool waits = false) {
  sweep::SweepView view;
  view.sweep.state = state;
  view.sweep.ended = state == SweepState::running || state == SweepState::paused ? 0 : 1.7e9;
  view.file.metric = "accuracy";
  view.file.trials = 8;
  for (const State standing : trials) {
    sweep::TrialView trial;
    trial.standing.state = standing;
    trial.waits = waits;
    view.trials.push_back(trial);
  }
  return view;
}

}  // namespace

class TestSweepText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English)); }

  void statesHaveATone_data() {
    QTest::addColumn<QString>("states");
    QTest::addColumn<QString>("tone");
    QTest::newRow("it trains") << "running"
                               << "good";
    QTest::newRow("it waits, or is between states")
        << "pending held starting restarting pausing paused stopping validating"
        << "warning";
    QTest::newRow("something went wrong") << "failed interrupted damaged diverged"
                                          << "bad";
    QTest::newRow("it is over") << "finished stopped succeeded cancelled"
                                << "plain";
  }
  void statesHaveATone() {
    QFETCH(QString, states);
    for (const QString& state : states.split(QLatin1Char(' ')))
      QTEST(QString::fromLatin1(toneOf(state.toStdString())), "tone");
  }

  void trialsInWords_data() {
    QTest::addColumn<int>("sweep");
    QTest::addColumn<int>("trial");
    QTest::addColumn<bool>("waits");
    QTest::addColumn<QString>("words");
    const auto row = [](SweepState sweep, State trial, bool waits, const char* words) {
      QTest::newRow(words) << static_cast<int>(sweep) << static_cast<int>(trial) << waits
                           << QString::fromUtf8(words);
    };
    row(SweepState::running, State::running, false, "running, good");
    row(SweepState::running, State::running, true, "waiting, warning");
    row(SweepState::paused, State::running, false, "interrupted, warning");
    row(SweepState::running, State::paused, false, "paused at a rung, warning");
    row(SweepState::finished, State::paused, false, "stopped early, plain");
    row(SweepState::running, State::finished, false, "finished, plain");
    row(SweepState::running, State::diverged, false, "diverged, bad");
    row(SweepState::running, State::failed, false, "failed, bad");
  }
  void trialsInWords() {
    QFETCH(int, sweep);
    QFETCH(int, trial);
    QFETCH(bool, waits);
    const auto view = viewOf(static_cast<SweepState>(sweep), {static_cast<State>(trial)}, waits);
    const StatusText shown = describe(view, 0);
    QTEST(shown.text + QStringLiteral(", ") + shown.tone, "words");
  }

  void aSweepThatNobodyDrivesIsInterrupted() {
    QCOMPARE(describe(SweepState::running, false).text, QStringLiteral("Interrupted"));
    QCOMPARE(describe(SweepState::running, true).tone, QStringLiteral("good"));
    QCOMPARE(describe(SweepState::finished, false).text, QStringLiteral("Finished"));
  }

  void totalsAndValues() {
    auto view = viewOf(SweepState::running, {State::finished, State::stopped, State::running, State::failed});
    view.trials[0].standing.value = 0.9742;
    view.trials[1].parameters = {{"lr", "0.1"}};
    view.trials[1].standing.value = std::nan("");
    view.trials[1].message = "loss was nan";
    view.best = 0;
    view.device_hours = 2;
    view.file.device_hours = 8;
    const auto shown = shownJson(view, true);
    QCOMPARE(shown.at("best").get<std::string>(), std::string("97.42 %"));
    QCOMPARE(shown.at("factor").get<double>(), 100.0);
    QStringList totals;
    for (const SweepTotal& total : totalsOf(view)) totals << total.value;
    QCOMPARE(totals.join(QStringLiteral(" | ")),
             QStringLiteral("3 of 8 | accuracy 97.42 %, trial 0 | 2 h 0 min of 8 h 0 min | 1 | 1"));
    QCOMPARE(trialText(view, 1), QStringLiteral("Trial 1, stopped early\nlr 0.1\naccuracy –\nloss was nan"));
    QCOMPARE(shownTrialJson(view, 2).at("value").get<std::string>(), std::string("–"));
  }
};

BATCHSCOPE_TEST(TestSweepText)
#include "test_sweep_text.moc"
