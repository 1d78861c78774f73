// SPDX-License-Identifier: Apache-2.0
//
// The digits program as a person runs it, alone: mistakes, a short training, Ctrl-C and resuming.
#include <signal.h>

#include <memory>

#include "example.h"
#include "test_case.h"

using namespace batchscope::testing;

class TestDigitsProgram : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<ExampleFolder>(); }

  void a_mistake_is_explained_in_a_line_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("complaint");
    QTest::newRow("unknown option") << QStringList{"--epoch", "3"} << 2 << "--epoch";
    QTest::newRow("no number") << QStringList{"--epochs", "many"} << 2 << "--epochs";
    QTest::newRow("out of range") << QStringList{"--lr", "-1"} << 2 << "--lr";
    QTest::newRow("bounds that cross") << QStringList{"--max-batch-size", "16"} << 2 << "--max-batch-size";
    QTest::newRow("no such folder") << QStringList{"--data", "nowhere"} << 3
                                    << "digits: neither train-images-idx3-ubyte nor";
  }
  void a_mistake_is_explained_in_a_line() {
    QFETCH(QStringList, arguments);
    const Result result = run(arguments);
    QTEST(result.code, "code");
    QFETCH(QString, complaint);
    QVERIFY2(result.errors.contains(complaint), qPrintable(result.errors));
    QVERIFY2(result.errors.count('\n') <= 2, qPrintable(result.errors));
  }

  void trains_and_says_when_there_is_nothing_left_to_do() {
    const Result first = run({"--epochs", "1", "--train-images", "1280"});
    QVERIFY2(first.code == 0, qPrintable(first.errors));
    QVERIFY2(first.output.startsWith("epoch  1 of 1   accuracy 0."), qPrintable(first.output));
    const Result second = run({"--epochs", "1", "--train-images", "1280"});
    QVERIFY2(second.code == 0, qPrintable(second.errors));
    QVERIFY2(second.output.isEmpty(), qPrintable(second.output));
    QVERIFY2(second.errors.contains("1 of 1 epochs are finished in digits.checkpoints"),
             qPrintable(second.errors));
  }

  void an_interrupt_checkpoints_and_the_same_command_resumes() {
    const QStringList arguments{"--epochs", "3", "--train-images", "3000"};
    QProcess program;
    folder_->start(program, "digits", arguments);
    QByteArray output;
    while (!output.contains("epoch  1 of 3") && program.waitForReadyRead(60'000))
      output += program.readAllStandardOutput();
    QVERIFY2(output.contains("epoch  1 of 3"), program.readAllStandardError().constData());
    ::kill(pid_t(program.processId()), SIGINT);
    QVERIFY(program.waitForFinished(60'000));
    QCOMPARE(program.exitCode(), 143);

    const Result rest = run(arguments);
    QVERIFY2(rest.code == 0, qPrintable(rest.errors));
    QVERIFY2(!rest.output.contains("epoch  1 of 3"), qPrintable(rest.output));
    QVERIFY2(rest.output.contains("epoch  3 of 3"), qPrintable(rest.output));
  }

 private:
  Result run(const QStringList& arguments) const { return folder_->run("digits", arguments); }

  std::unique_ptr<ExampleFolder> folder_;
};

BATCHSCOPE_TEST(TestDigitsProgram)
#include "test_digits_program.moc"
