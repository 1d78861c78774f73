// SPDX-License-Identifier: Apache-2.0
//
// `batchscope show` of a run: its summary, generations, epochs and predictions. Nothing here starts a run.
#include "command_test.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestShow : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void showsARun() {
    makeRestartedRun("digits", protocol::RunState::finished);
    const Answer answer = ask({"show", "latest"});
    QCOMPARE(answer.code, kExitOk);
    for (const char* text : {"digits", "finished", "/bin/true --epochs 4", "Generations", "rescale", "41-90",
                             "85 ms", "Checkpoint 40 ms, Launch 20 ms",
                             "predicted goodput 18,410 samples/s, obtained 17,890 samples/s (−3 %)",
                             "Latest values", "97.12 %", "warning: restarted on 3"})
      QVERIFY2(answer.out.contains(text), text);
    QVERIFY2(!answer.out.contains('\x1b'), "no colours outside a terminal");
  }

  void showsARunAsJson() {
    makeRestartedRun("digits", protocol::RunState::finished);
    const QJsonObject json = ask({"show", "latest", "--json"}).json();
    const QJsonArray generations = json["generations"].toArray();
    QCOMPARE(generations.size(), 2);
    QVERIFY(generations[0].toObject()["pause"].isNull());
    QCOMPARE(generations[1].toObject()["pause"].toDouble(), 0.085);
    QCOMPARE(generations[1].toObject()["pause_parts"].toObject()["launch"].toDouble(), 0.02);
    QCOMPARE(generations[1].toObject()["first_step"].toInt(), 41);
    for (const char* key :
         {"run", "epochs", "checkpoints", "events", "hyperparameters", "goodput", "ledger", "ledger_totals"})
      QVERIFY2(json.contains(key), key);
  }

  void showsWhatGoesOn() {
    const std::string id = makeRestartedRun("digits", protocol::RunState::stopped);
    storage::Catalogue catalogue = this->catalogue();
    storage::Generation third;
    third.number = 2;
    third.first_step = 91;
    catalogue.put_generation(id, third);
    catalogue.put_epoch(id, {0, 0, 1, 0, 1, 0});
    catalogue.put_epoch(id, {0, 1, 2, 0, 41, 0});
    const QString out = ask({"show", "latest"}).out;
    QVERIFY2(out.contains(QRegularExpression(R"( 91-\n)")), qPrintable(out));
    QVERIFY2(out.contains(QRegularExpression(R"( 1- +undone\n.* 41- +unfinished\n)")), qPrintable(out));
  }

  void showsTheFirstTheBestAndTheLastEpochs() {
    const std::string id = makeRestartedRun("digits", protocol::RunState::finished);
    storage::Catalogue catalogue = this->catalogue();
    for (int epoch = 0; epoch < 30; ++epoch)
      catalogue.put_epoch(id, {epoch, 0, 1.0 * epoch, epoch + 1.0, 3 * epoch + 1, 3 * epoch + 3});
    {
      storage::SampleWriter samples(sandbox_->samples(QString::fromStdString(id)).toStdString());
      for (int step = 1; step <= 90; ++step) samples.append(0, "accuracy", step, step == 45 ? 0.9 : 0.5);
    }
    const auto epochs = [](const QString& out) {
      const QString section = out.mid(out.indexOf("\nEpochs\n") + 1).section("\n\n", 0, 0);
      return section.split('\n').filter(QRegularExpression("^ +\\d+ +\\d+ "));
    };
    const QString shown = ask({"show", "latest"}).out;
    const QStringList few = epochs(shown);
    QCOMPARE(few.size(), 1 + 1 + 10);
    VERIFY_HOLDS(few[0], "1-3", "50.00 %");
    VERIFY_HOLDS(few[1], "43-45", "90.00 %", "best");
    VERIFY_HOLDS(few[2], "61-63", "50.00 %");
    VERIFY_HOLDS(shown, "18 more: batchscope show " + QString::fromStdString(id) + " --epochs");
    QCOMPARE(epochs(ask({"show", "latest", "--epochs"}).out).size(), 30);
  }

  void showsTheScoreOfAnEpochThatARestartInterrupted() {
    storage::Catalogue catalogue = this->catalogue();
    protocol::RunSpec spec;
    spec.name = "digits";
    spec.program = "/bin/true";
    const std::string id = catalogue.create_run(spec);
    catalogue.set_progress(id, 9, 2, 0, 0, {{"loss", 2}});
    catalogue.set_state(id, protocol::RunState::stopped);
    catalogue.put_epoch(id, {0, 0, 0, 1, 1, 4});
    catalogue.put_epoch(id, {1, 1, 1, 0, 5, 0});  // undone by a crash, and begun again in generation 2
    catalogue.put_epoch(id, {1, 2, 2, 3, 5, 8});
    catalogue.put_epoch(id, {2, 2, 3, 0, 9, 0});
    const auto row = [&](int number, const QString& out) {
      const QString section = out.mid(out.indexOf("\nEpochs\n") + 1).section("\n\n", 0, 0);
      return section.section('\n', number + 1, number + 1).simplified();
    };
    {
      storage::SampleWriter samples(sandbox_->samples(QString::fromStdString(id)).toStdString());
      const auto losses = [&samples](int generation, int from, int to, double loss) {
        for (int step = from; step <= to; ++step) samples.append(generation, "loss", step, loss);
      };
      losses(0, 1, 3, 5);
      losses(1, 4, 4, 1);  // of the first epoch, after a restart
      losses(1, 5, 6, 9);  // undone
      losses(2, 5, 8, 2);
    }
    const QString byLoss = ask({"show", "latest"}).out;
    QCOMPARE(row(1, byLoss), QString("1 0 1-4 1.00 s 4"));  // (3 * 5 + 1) / 4
    QCOMPARE(row(2, byLoss), QString("2 1 5- undone"));
    QCOMPARE(row(3, byLoss), QString("2 2 5-8 1.00 s 2 best"));
    QCOMPARE(row(4, byLoss), QString("3 2 9- unfinished"));
    VERIFY_HOLDS(byLoss, "  epoch 2, step 9\n");  // not "0 % of the run", whose length nobody knows
    QVERIFY(catalogue.claim_supervisor(id));
    catalogue.set_state(id, protocol::RunState::running);
    QCOMPARE(row(4, ask({"show", "latest"}).out), QString("3 2 9- under way"));
  }

  void showsWhatWasPredictedOfRestarts() {
    const std::string id = makeRestartedRun("digits", protocol::RunState::finished);
    QVERIFY(ask({"show", "latest", "--predictions"}).out.contains("predicted"));
    storage::Catalogue catalogue = this->catalogue();
    // Each obtains 12,000: within 10,000 to 14,400, above 8,000 to 11,520, and nobody says within what.
    for (const auto& [number, predicted, error] :
         {std::tuple{2, 12'000.0, 0.2}, std::tuple{3, 9'600.0, 0.2}, std::tuple{4, 16'000.0, -1.0}}) {
      storage::Generation generation;
      generation.number = number;
      generation.replicas = 2;
      generation.ended = 1;
      generation.predicted_goodput = predicted;
      generation.predicted_error = error;
      generation.obtained_goodput = 12'000;
      catalogue.put_generation(id, generation);
    }
    const std::string told = ask({"show", "latest", "--predictions"}).out.toStdString();
    for (const char* text : {"10,000 to 14,400", "8,000 to 11,520", "+25 %", "−25 %", "0 %",
                             "4 measured, with a median error of ",
                             "1 of 2 came out in the expected range, which should hold nine of ten"})
      VERIFY_HOLDS(told, text);
    const QJsonObject json = ask({"show", "latest", "--predictions", "--json"}).json();
    QCOMPARE(json["held"].toInt(), 1);
    const QJsonArray restarts = json["restarts"].toArray();
    QCOMPARE(restarts.last().toObject()["low"], QJsonValue(QJsonValue::Null));
    QCOMPARE(restarts[restarts.size() - 2].toObject()["held"], QJsonValue(false));
    QCOMPARE(restarts[restarts.size() - 3].toObject()["held"], QJsonValue(true));
  }

  // The comparison is of one generation: the newest with steps.
  void comparesWhatWasMeasuredWithWhatWasPredictedOfIt() {
    const std::string id = makeRestartedRun("digits", protocol::RunState::stopped);
    storage::Catalogue catalogue = this->catalogue();
    protocol::Model model;
    model.perf = {0.01, 0.0002, 0, 0, 0.002, 0.0005, 1.5};
    model.grad_sqr = model.grad_var = 1;
    model.init_batch_size = 64;
    catalogue.put_model(id, 1, model);
    catalogue.set_progress(id, 90, 2, 4, 0.5, {{"local_batch_size", 32}});
    storage::Generation third;
    third.number = 2;
    third.replicas = 5;
    third.ended = 1;
    third.predicted_goodput = 18412;
    catalogue.put_generation(id, third);
    const QString told = ask({"show", "latest"}).out;
    VERIFY_HOLDS(told, "predicted goodput 18,410 samples/s, ended before it was steady");
    const QJsonObject goodput = ask({"show", "latest", "--json"}).json()["goodput"].toObject();
    QCOMPARE(goodput["predicted"].toObject()["replicas"].toInt(), 3);
  }
};

BATCHSCOPE_TEST(TestShow)
#include "test_show.moc"
