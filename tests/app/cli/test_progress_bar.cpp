// SPDX-License-Identifier: Apache-2.0
//
// The bars: a status and a width in, lines out that fit, whatever the width.
#include "test_case.h"
#include "text/format.h"
#include "text/progress_bar.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

protocol::RunStatus trainingStatus() {
  protocol::RunStatus status;
  status.run = "3f9a12bc";
  status.state = protocol::RunState::running;
  status.generation = 1;
  status.replicas = status.target_replicas = 2;
  status.step = 412;
  status.epoch = 1;
  status.epochs = 4;
  status.loop = "train";
  status.loop_fraction = 0.5;
  status.total_fraction = 0.375;
  status.elapsed = 42;
  status.remaining = 63;
  status.latest = {{"loss", 0.2314},    {"accuracy", 0.9621},      {"gain", 1.42},
                   {"batch_size", 512}, {"local_batch_size", 128}, {"accumulation_steps", 1},
                   {"goodput", 12345.6}};
  return status;
}

QStringList linesOf(const protocol::RunStatus& status, const Style& style) {
  QStringList lines;
  for (const std::string& line : progressLines("digits", status, style))
    lines << QString::fromStdString(line);
  return lines;
}

}  // namespace

class TestProgressBar : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void drawsBothBars() {
    const QStringList lines = linesOf(trainingStatus(), {80, false, true});
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0], QString("digits  running  2 replicas  step 412  generation 1"));
    QVERIFY(lines[1].startsWith("epoch 2/4 train  ━━━━━"));
    QVERIFY(lines[1].contains(" 50 %"));
    QVERIFY(lines[2].startsWith("whole run        ━━━━━"));
    QVERIFY(lines[2].endsWith(" 37 %  0:42, 1:03 left"));
    QCOMPARE(lines[1].count(QString("━")), lines[1].count(QString("─")));
    QVERIFY(lines[3].startsWith("loss 0.2314  accuracy 96.21 %  gain 1.42  batch 512 (2 x 128 x 2)"));
  }

  void drawsInAscii() {
    for (const QString& line : linesOf(trainingStatus(), {80, false, false}))
      for (const QChar character : line) QVERIFY(character.unicode() < 128);
    QVERIFY(linesOf(trainingStatus(), {80, false, false})[1].contains("#####"));
  }

  void fitsEveryWidth() {
    protocol::RunStatus status = trainingStatus();
    status.phase = "first step";
    status.state = protocol::RunState::restarting;
    status.target_replicas = 3;
    for (int width = 1; width <= 200; ++width)
      for (const std::string& line :
           progressLines("a run with a name that is rather long", status, {width, false, true}))
        QVERIFY2(displayWidth(line) <= width, qPrintable(QString("%1: %2").arg(width).arg(line.c_str())));
  }

  void isColouredOnlyWhenAsked() {
    QVERIFY(!linesOf(trainingStatus(), {80, false, true}).join('\n').contains('\x1b'));
    QVERIFY(linesOf(trainingStatus(), {80, true, true}).join('\n').contains("\x1b[32mrunning\x1b[0m"));
  }

  void tellsTheRestart() {
    protocol::RunStatus status = trainingStatus();
    status.state = protocol::RunState::restarting;
    status.phase = "launch";
    status.phase_seconds = 0.085;
    status.target_replicas = 3;
    QVERIFY(linesOf(status, {80, false, true})[0].startsWith(
        "digits  restarting: launch, 85 ms  2 → 3 replicas"));
    QVERIFY(linesOf(status, {80, false, false})[0].contains("2 -> 3 replicas"));
  }

  void saysNoProductOfTheOldBatchAndTheNewReplicas() {
    protocol::RunStatus status = trainingStatus();
    status.replicas = 3;
    QVERIFY(progressSentence(status).find("batch 512, ") != std::string::npos);
    status.latest["batch_size"] = 767;  // 3 x 128 x 2 but for one sample
    QVERIFY(progressSentence(status).find("batch 767 (3 x 128 x 2)") != std::string::npos);
  }

  void doesNotSayHundredBeforeTheEnd() {
    protocol::RunStatus status = trainingStatus();
    status.total_fraction = 0.9999;
    QVERIFY(linesOf(status, {80, false, true})[2].contains(" 99 %"));
    status.total_fraction = 1;
    QVERIFY(linesOf(status, {80, false, true})[2].contains("100 %"));
  }

  void saysItInOneSentence() {
    QCOMPARE(
        QString::fromStdString(progressSentence(trainingStatus())),
        QString("0:42 running, epoch 2/4 train 50 %, run 37 %, 1:03 left, 2 replicas, step 412, loss 0.2314, "
                "accuracy 96.21 %, gain 1.42, batch 512 (2 x 128 x 2), goodput 12,350 samples/s"));
  }

  void takesAnEmptyStatus() {
    QCOMPARE(linesOf({}, {80, false, true}), QStringList{"digits  starting  0 replicas  generation 0  0:00"});
    QVERIFY(!progressSentence({}).empty());
  }

  // No step is known of a program that reports nothing, which is not step 0.
  void saysThatStepsAreNotRecorded() {
    protocol::RunStatus status;
    status.state = protocol::RunState::running;
    status.replicas = status.target_replicas = 1;
    status.elapsed = 42;
    QCOMPARE(linesOf(status, {80, false, true}),
             QStringList{"digits  running  1 replica  steps not recorded  generation 0  0:42"});
    QCOMPARE(progressSentence(status), "0:42 running, 1 replica, steps not recorded");
    status.loop = "validate";
    QCOMPARE(linesOf(status, {80, false, true}).size(), 4);
    VERIFY_HOLDS(progressSentence(status), "epoch 1 validate 0 %", "step 0");
  }
};

BATCHSCOPE_TEST(TestProgressBar)
#include "test_progress_bar.moc"
