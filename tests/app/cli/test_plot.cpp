// SPDX-License-Identifier: Apache-2.0
//
// plot and tail on recorded series, and the canvas and axes behind them.
#include <QImage>
#include <csignal>

#include "command_test.h"
#include "plot/dot_canvas.h"
#include "plot/plot_data.h"
#include "plot/plot_text.h"
#include "text/format.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestPlot : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void drawsDots() {
    DotCanvas canvas(2, 1, true);
    QCOMPARE(canvas.dotWidth(), 4);
    canvas.line(0, 0, 3, 3, Colour::none);
    QCOMPARE(QString::fromStdString(canvas.row(0, Style())), QStringLiteral("⡠⠊"));
    DotCanvas ascii(3, 2, false);
    ascii.dot(1, 0, Colour::none);
    ascii.dot(9, 9, Colour::none);
    ascii.dot(-1, 0, Colour::none);
    QCOMPARE(ascii.row(0, Style()), std::string());
    QCOMPARE(ascii.row(1, Style()), std::string(" *"));
  }

  void findsRoundTicks() {
    QCOMPARE(tickLabels(roundTicks(0.03, 1.02, 5)),
             (std::vector<std::string>{"0.2", "0.4", "0.6", "0.8", "1.0"}));
    QCOMPARE(tickLabels(roundTicks(-3, 3, 4)), (std::vector<std::string>{"-2", "0", "2"}));
    QCOMPARE(tickLabels(roundTicks(0, 10'000'000, 3)), (std::vector<std::string>{"0", "5M", "10M"}));
    QCOMPARE(tickLabels(roundTicks(0, 2'000'000, 5)),
             (std::vector<std::string>{"0", "0.5M", "1M", "1.5M", "2M"}));
    QCOMPARE(tickLabels(roundTicks(0, 2e10, 3)), (std::vector<std::string>{"0", "10G", "20G"}));
    QCOMPARE(tickLabels(common::logTicks(1e-5, 1e11, 5)),
             (std::vector<std::string>{"1 × 10⁻⁵", "0.1", "1,000", "10M", "100G"}));
    QCOMPARE(tickLabels(common::logTicks(0.005, 200, 8)),
             (std::vector<std::string>{"0.01", "0.1", "1", "10", "100"}));
  }

  void drawsInTheTerminal() {
    makeRun({.steps = 2000});
    const Answer answer = ask({"plot", "latest", "loss", "--width", "60", "--height", "10"});
    QCOMPARE(answer.code, kExitOk);
    const QStringList lines = answer.out.split('\n');
    QCOMPARE(lines.size(), 1 + 1 + 10 + 2 + 1 + 1);
    QVERIFY2(lines[1].contains("×1") && lines[1].contains("×2"), qPrintable(lines[1]));
    QVERIFY2(lines[13].contains("1000") && lines[13].contains("step"), qPrintable(lines[13]));
    QVERIFY2(lines[14].contains("loss  last 0.04472, 2000 samples"), qPrintable(lines[14]));
    for (const QString& line : lines) QVERIFY2(displayWidth(line.toStdString()) <= 60, qPrintable(line));
    QVERIFY2(!answer.out.contains('\x1b'), "no colours outside a terminal");
    // It falls from the upper left corner.
    QVERIFY2(lines[2].indexOf(QRegularExpression("[\u2801-\u28FF]")) < 10, qPrintable(lines[2]));
  }

  void answersInJson() {
    makeRun({.steps = 50});
    const QJsonObject json = ask({"plot", "latest", "loss", "--json", "--width", "80"}).json();
    const QJsonObject curve = json["curves"].toArray()[0].toObject();
    QCOMPARE(curve["samples"].toInt(), 50);
    const QJsonArray stretches = curve["stretches"].toArray();
    QCOMPARE(stretches.size(), 2);
    QCOMPARE(stretches[0].toObject()["points"].toArray()[3].toArray(),
             (QJsonArray{4, RunMaker::loss(4), RunMaker::loss(4)}));
    QCOMPARE(json["restarts"].toArray()[0].toObject()["x"].toInt(), 26);
  }

  void listsCharts() {
    makeRun({.steps = 50});
    const Answer listed = ask({"plot", "latest", "--list"});
    QCOMPARE(listed.code, kExitOk);
    VERIFY_HOLDS(listed.out, "CHART", "Loss", "strange");
    QVERIFY2(!listed.out.contains("Accuracy"), "nothing of it is recorded");
    const QJsonArray charts = ask({"plot", "latest", "--list", "--json"}).json()["charts"].toArray();
    QCOMPARE(charts[0].toObject()["name"].toString(), QStringLiteral("gain"));
    makeRun({.steps = 0});
    VERIFY_REFUSED(kExitNotFound, "nothing to draw", ask({"plot", "latest", "--list"}));
  }

  void overlaysRuns() {
    makeRun({.name = "a", .steps = 50});
    makeRun({.name = "b", .steps = 80});
    const Answer answer = ask({"plot", "a", "loss", "--with", "b"});
    VERIFY_HOLDS(answer.out, "2 runs\n", "loss of a", "loss of b");
    const QString other = makeRun({.name = "c"});
    storage::SampleWriter(sandbox_->samples(other).toStdString()).append(0, "accuracy", 1, 0.5);
    const QString told = "2 runs; nothing of c (" + other + ")\n";
    VERIFY_HOLDS(ask({"plot", "a", "loss", "--with", "c"}).out, told, "loss of a");
  }

  void writesPictures() {
    makeRun({.name = "a<b>&", .steps = 500});
    QCOMPARE(ask({"plot", "latest", "loss", "--output", "loss.svg"}).code, kExitOk);
    const QByteArray text = contents("loss.svg");
    QVERIFY(text.contains("a&lt;b&gt;&amp;") && text.count("<polyline") == 2);
    if (QFile::exists(qEnvironmentVariable("BATCHSCOPE_BIN") + "/batchscope-svg2png")) {
      QCOMPARE(ask({"plot", "latest", "loss", "-o", "loss.png", "--width", "400", "--height", "300"}).code,
               kExitOk);
      QCOMPARE(QImage(sandbox_->path("loss.png")).size(), QSize(400, 300));
    }
    QCOMPARE(ask({"plot", "latest", "loss", "--output", "loss.gif"}).code, kExitUsage);
    QCOMPARE(ask({"plot", "latest", "loss", "--output", "no/such/loss.svg"}).code, kExitFailure);
  }

  void saysWhatIsNotThere() {
    makeRun({.steps = 50});
    VERIFY_REFUSED(kExitNotFound, "did you mean loss?", ask({"plot", "latest", "los"}));
    QCOMPARE(ask({"plot", "latest", "loss", "--from", "1000"}).code, kExitNotFound);
    QCOMPARE(ask({"plot", "latest", "loss", "--from", "10", "--to", "5"}).code, kExitUsage);
    QCOMPARE(ask({"plot", "latest", "strange", "--log"}).code, kExitOk);  // 0.1 is left of it
    QCOMPARE(ask({"plot", "latest", "strange", "--log", "--to", "3"}).code, kExitNotFound);
  }

  void tailsWhatIsThere() {
    makeRun({.steps = 50});
    const Answer answer = ask({"tail", "latest", "loss", "strange", "-n", "3"});
    QCOMPARE(answer.code, kExitOk);
    const QStringList lines = answer.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0].simplified(), "STEP GEN loss strange");
    QCOMPARE(lines[3].simplified(), "50 1 0.2828 -");
    QCOMPARE(ask({"tail", "latest", "strange", "--json", "-n", "3"}).json()["value"].toDouble(), 0.1);
    QVERIFY(ask({"tail", "latest", "strnge"}).err.contains("did you mean strange?"));
  }

  void tailsWhatComes() {
    const QString id = makeBusyRun(50);
    storage::Catalogue catalogue = this->catalogue();
    storage::SampleWriter writer(sandbox_->samples(id).toStdString());
    auto process = sandbox_->start({"tail", "latest", "loss", "-n", "1"});
    QByteArray out;
    const auto seen = [&](const char* text) { return awaitOutput(*process, out, text); };
    QVERIFY(seen("  50    1"));
    writer.append(1, "loss", 51, 0.5);
    writer.append(2, "loss", 49, 0.25);
    writer.commit();
    QVERIFY(seen("  49    2"));
    QVERIFY(out.contains("  51    1"));
    catalogue.set_state(id.toStdString(), protocol::RunState::finished);
    QCOMPARE(Sandbox::finish(*process).code, kExitOk);
  }
};

BATCHSCOPE_TEST(TestPlot)
#include "test_plot.moc"
