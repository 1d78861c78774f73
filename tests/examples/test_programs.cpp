// SPDX-License-Identifier: Apache-2.0
//
// Every example as a person runs it, alone, for seconds: help, mistakes, a short training on the data it
// makes itself, and a recipe whose parameters and defaults are the program's own.
#include <toml++/toml.h>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <memory>

#include "example.h"
#include "test_case.h"

using namespace batchscope::testing;

namespace {

QStringList programs() {
  return QDir(bin() + "/recipes").entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
}

}  // namespace

class TestPrograms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<ExampleFolder>(); }

  void help_and_recipe_agree_data() { every_program(); }
  void help_and_recipe_agree() {
    QFETCH(QString, program);
    const Result shown = run(program, {"--help"});
    QCOMPARE(shown.code, 0);
    QVERIFY(shown.output.contains("Examples:"));
    const auto recipe = toml::parse_file((bin() + "/recipes/" + program + "/recipe.toml").toStdString());
    QCOMPARE(QString::fromStdString(recipe["program"].value_or<std::string>("")), program);
    const auto* parameters = recipe["parameter"].as_array();
    QVERIFY(parameters != nullptr);
    for (const auto& entry : *parameters) {
      const auto& parameter = *entry.as_table();
      const auto text = [&](const char* key) {
        return QString::fromStdString(parameter[key].value_or<std::string>(""));
      };
      const QString name = text("name");
      QVERIFY2(QRegularExpression("--" + name + "[ \n]").match(shown.output).hasMatch(), qPrintable(name));
      const auto number = parameter["default"].value<double>();
      const QString value = text("type") == "flag" ? QString()
                            : number               ? QString::number(*number)
                                                   : text("default");
      const QRegularExpression default_shown("--" + name + " [^=\n]*=" + QRegularExpression::escape(value) +
                                             "\\s");
      QVERIFY2(value.isEmpty() || default_shown.match(shown.output).hasMatch(),
               qPrintable(name + " in\n" + shown.output));
    }
  }

  void a_mistake_is_explained_in_a_line_data() { every_program(); }
  void a_mistake_is_explained_in_a_line() {
    QFETCH(QString, program);
    const Result result = run(program, {"--no-such-option"});
    QCOMPARE(result.code, 2);
    QVERIFY2(result.errors.contains("--no-such-option"), qPrintable(result.errors));
    QVERIFY2(result.errors.count('\n') <= 2, qPrintable(result.errors));
  }

  void data_that_is_not_there_is_named_data() {
    QTest::addColumn<QString>("program");
    for (const QString& program : programs())
      if (run(program, {"--help"}).output.contains("--data ")) QTest::newRow(qPrintable(program)) << program;
  }
  void data_that_is_not_there_is_named() {
    QFETCH(QString, program);
    const Result result = run(program, {"--data", "nowhere"});
    QCOMPARE(result.code, 3);
    QVERIFY2(result.errors.contains("nowhere"), qPrintable(result.errors));
  }

  void trains_for_seconds_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("output");
    const auto row = [](const char* name, const QString& program, const QString& arguments,
                        const QString& output) {
      QTest::newRow(name) << program << arguments.split(' ') << output;
    };
    row("digits", "digits", "--epochs 1 --train-images 640", "epoch  1 of 1   accuracy 0\\.");
    row("digits, fixed scale", "digits", "--epochs 1 --train-images 640 --micro-batches 4 --schedule steps",
        "batch 128 on 1 replica");
    row("regression", "linear_regression", "--epochs 4 --samples 2048 --micro-batches 8",
        "epoch  4 of 4   error 0\\..*batch  128   gain");
    row("least squares", "least_squares", "--epochs 4 --samples 2048 --micro-batches 8",
        "epoch  4 of 4   error 0\\..*batch  128");
    row("lstm", "language_model", "--epochs 1 --words 3000 --micro-batches 2 --scaling-rule linear",
        "epoch  1 of 1   perplexity +\\d+");
    row("transformer", "language_model", "--epochs 1 --words 3000 --model transformer --size 16",
        "epoch  1 of 1   perplexity +\\d+");
    row("cifar", "cifar", "--epochs 1 --width 2 --train-images 64 --test-images 64 --batch-size 16 --bf16",
        "epoch +1 of 1   accuracy 0\\.");
    row("dcgan", "dcgan", "--epochs 1 --train-images 256 --width 4 --micro-batches 2",
        "epoch  1 of 1   discriminator \\d");
    row("recommender", "recommender", "--epochs 1 --users 100 --items 200", "epoch  1 of 1   hit rate 0\\.");
    row("script", "script_model", "--epochs 1 --train-images 640 --save trained.pt",
        "epoch  1 of 1   accuracy 0\\.");
    row("plain", "plain_adascale", "--iterations 30 --save-every 20 --accumulate 2", "gain +\\d\\.\\d+ of 2");
  }
  void trains_for_seconds() {
    QFETCH(QString, program);
    QFETCH(QStringList, arguments);
    QFETCH(QString, output);
    const Result result = run(program, arguments);
    QVERIFY2(result.code == 0, qPrintable(result.errors));
    QVERIFY2(QRegularExpression(output).match(result.output).hasMatch(), qPrintable(result.output));
  }

  // Fewer than 16 channels on two threads, which is more than oneDNN bears of pictures with their channels
  // last.
  void a_narrow_network_trains_on_two_threads() {
    const QString arguments = "--epochs 1 --width 4 --train-images 248 --test-images 64 --batch-size 31";
    const Result result = run("cifar", arguments.split(' '), 2);
    QVERIFY2(result.code == 0, qPrintable(result.errors));
  }

  // The gain that was predicted on paper is the one that is measured, over all of training.
  void the_regression_gains_what_theory_says() {
    const Result result = run("linear_regression", {"--epochs", "12", "--micro-batches", "16"});
    QVERIFY2(result.code == 0, qPrintable(result.errors));
    const QRegularExpression line("gain +([0-9.]+), predicted +([0-9.]+)");
    double last = 0;
    int count = 0;
    for (auto matches = line.globalMatch(result.output); matches.hasNext(); ++count) {
      const auto match = matches.next();
      const double measured = match.captured(1).toDouble(), predicted = match.captured(2).toDouble();
      QVERIFY2(std::abs(measured / predicted - 1) < 0.35, qPrintable(match.captured(0)));
      last = measured / predicted;
    }
    QCOMPARE(count, 12);
    QVERIFY2(std::abs(last - 1) < 0.1, qPrintable(result.output));  // where the prediction does not move
  }

  void a_trained_script_is_loaded_and_trained_on() {
    const QString quick = "--epochs 1 --train-images 640";
    QCOMPARE(run("script_model", (quick + " --save trained.pt").split(' ')).code, 0);
    QVERIFY(QDir(folder_->path("script_model.checkpoints")).removeRecursively());
    const Result again = run("script_model", (quick + " --model trained.pt").split(' '));
    QVERIFY2(again.code == 0, qPrintable(again.errors));
    const Result bad = run("script_model", {"--model", "nowhere.pt"});
    QCOMPARE(bad.code, 3);
    QVERIFY2(bad.errors.contains("nowhere.pt"), qPrintable(bad.errors));
  }

  // tests/kept has one that an older program wrote, of two replicas, after two epochs.
  void a_kept_checkpoint_goes_on() {
    const QDir from(qEnvironmentVariable("BATCHSCOPE_SOURCE") + "/tests/kept/checkpoint-000001");
    const QString to = folder_->path("linear_regression.checkpoints/checkpoint-000001/");
    QVERIFY(QDir().mkpath(to));
    for (const QString& file : from.entryList(QDir::Files))
      QVERIFY(QFile::copy(from.filePath(file), to + file));
    const QString arguments = "--epochs 3 --no-autoscale --batch-size 512";
    const Result rest = run("linear_regression", arguments.split(' '));
    QVERIFY2(rest.code == 0, qPrintable(rest.errors));
    QCOMPARE(rest.output.count("epoch"), 1);
    QVERIFY2(rest.output.startsWith("epoch  3 of 3   error 1.22"), qPrintable(rest.output));
  }

  // Without the elastic API a restart is the program's own: killed, it goes on from what it has saved, with
  // the scale that it is told now.
  void the_plain_loop_goes_on_after_a_kill() {
    QProcess program;
    folder_->start(program, "plain_adascale",
                   {"--iterations", "100000", "--save-every", "20", "--accumulate", "4"});
    QByteArray seen;
    while (seen.count('\n') < 2 && program.waitForReadyRead(60'000)) seen += program.readAllStandardOutput();
    QVERIFY2(seen.count('\n') >= 2, program.readAllStandardError().constData());
    program.kill();
    QVERIFY(program.waitForFinished(60'000));
    const QStringList again{"--iterations", "80", "--save-every", "40", "--accumulate", "2"};
    const Result rest = run("plain_adascale", again);
    QVERIFY2(rest.code == 0, qPrintable(rest.errors));
    const QRegularExpression line("step +(\\d+)   scale-invariant +(\\d+) of 80   gain +[0-9.]+ of 2");
    const auto match = line.match(rest.output);
    QVERIFY2(match.hasMatch(), qPrintable(rest.output));
    QVERIFY2(match.captured(2).toInt() >= 40, qPrintable(rest.output));  // 20 at least were done before
  }

 private:
  static void every_program() {
    QTest::addColumn<QString>("program");
    for (const QString& program : programs()) QTest::newRow(qPrintable(program)) << program;
  }

  Result run(const QString& program, const QStringList& arguments, int threads = 1) const {
    return folder_->run(program, arguments, threads);
  }

  std::unique_ptr<ExampleFolder> folder_ = std::make_unique<ExampleFolder>();  // of each test its own
};

BATCHSCOPE_TEST(TestPrograms)
#include "test_programs.moc"
