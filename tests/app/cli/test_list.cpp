// SPDX-License-Identifier: Apache-2.0
//
// ls: filters, order, columns, and watching.
#include <csignal>

#include "batchscope/protocol/error.h"
#include "run_store.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestList : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    sandbox_ = std::make_unique<Sandbox>();
    RunMaker{
        .name = "digits", .accuracy = 0.95, .tags = {"paper"}, .hyperparameters = {{"optimizer", "adam"}}}(
        *sandbox_);
    RunMaker{.name = "wide", .accuracy = 0.99, .group = "ablation"}(*sandbox_);
    RunMaker{.name = "broken", .state = protocol::RunState::failed, .accuracy = NAN}(*sandbox_);
  }

  void filters() {
    QCOMPARE(names({}), QStringList({"broken", "wide", "digits"}));
    QCOMPARE(names({"--where", "accuracy>0.97"}), QStringList({"wide"}));
    QCOMPARE(names({"--where", "tag=paper or group=ablation"}), QStringList({"wide", "digits"}));
    QCOMPARE(names({"--where", "optimizer=adam"}), QStringList({"digits"}));
    QCOMPARE(names({"--where", "state=failed and age<1h"}), QStringList({"broken"}));
    QVERIFY(ask({"ls", "--where", "step>1000"}).out.contains("None of 3 runs passes"));
  }

  void sortsAndLimits() {
    QCOMPARE(names({"--sort", "accuracy"}), QStringList({"digits", "wide", "broken"}));
    QCOMPARE(names({"--sort", "-accuracy"}), QStringList({"wide", "digits", "broken"}));
    QCOMPARE(names({"--sort=-name", "--limit", "2"}), QStringList({"wide", "digits"}));
  }

  void showsColumns() {
    const QStringList lines =
        ask({"ls", "--columns", "name,accuracy,optimizer,tag,age", "--sort", "name"}).out.split('\n');
    QCOMPARE(lines[0].simplified(), "NAME ACCURACY OPTIMIZER TAG AGE");
    QCOMPARE(lines[1].simplified(), "broken nan just now");
    QCOMPARE(lines[2].simplified(), "digits 95.00 % adam paper just now");
    const QJsonObject run =
        ask({"ls", "--columns", "name,accuracy,tag", "--json"}).json()["runs"].toArray()[2].toObject();
    QCOMPARE(run.keys(), QStringList({"accuracy", "name", "tag"}));
    QCOMPARE(run["tag"].toArray(), QJsonArray{"paper"});
  }

  void refusesWhatItDoesNotKnow_data() {
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QString>("complaint");
    QTest::newRow("syntax") << QStringList{"--where", "accuracy>"} << "\n  accuracy>\n          ^\n";
    QTest::newRow("field") << QStringList{"--where", "acuracy>1"} << "did you mean accuracy?";
    QTest::newRow("column") << QStringList{"--columns", "id,nmae"} << "did you mean name?";
    QTest::newRow("sort") << QStringList{"--sort", "-los"} << "did you mean loss?";
    QTest::newRow("limit") << QStringList{"--limit", "0"} << "--limit";
  }

  void refusesWhatItDoesNotKnow() {
    QFETCH(QStringList, flags);
    QFETCH(QString, complaint);
    const Answer answer = ask(QStringList{"ls"} + flags);
    QCOMPARE(answer.code, int(kExitUsage));
    QVERIFY2(answer.err.contains(complaint), qPrintable(answer.err));
    QCOMPARE(answer.out, QString());
  }

  void takesAnyFieldWhileTheStoreIsEmpty() {
    const Sandbox empty;
    const Answer answer = empty.ask({"ls", "--where", "f1>0.5", "--json"});
    QCOMPARE(answer.code, int(kExitOk));
    QCOMPARE(answer.json()["runs"].toArray().size(), 0);
  }

  void watchesUntilInterrupted() {
    auto process = sandbox_->start({"ls", "--watch", "--columns", "name,note", "--where", "name=wide"});
    QByteArray out;
    const auto seen = [&](const char* text) {
      return QTest::qWaitFor(
          [&] {
            process->waitForReadyRead(100);
            out += process->readAllStandardOutput();
            return out.contains(text);
          },
          Sandbox::kPatienceMs);
    };
    QVERIFY(seen("wide"));
    storage::Catalogue catalogue(sandbox_->database().toStdString());
    catalogue.set_note(catalogue.resolve("wide").id, "changed");
    QVERIFY(seen("changed"));
    QVERIFY2(!out.contains('\x1b'), "no redrawing outside a terminal");
    QCOMPARE(out.count("wide"), 2);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    QCOMPARE(Sandbox::finish(*process).code, int(kExitOk));
  }

 private:
  Answer ask(const QStringList& arguments) const { return sandbox_->ask(arguments); }

  QStringList names(const QStringList& flags) const {
    QStringList list;
    for (const QJsonValue& run : ask(QStringList{"ls", "--json"} + flags).json()["runs"].toArray())
      list << run.toObject()["name"].toString();
    return list;
  }

  std::unique_ptr<Sandbox> sandbox_;
};

BATCHSCOPE_TEST(TestList)
#include "test_list.moc"
