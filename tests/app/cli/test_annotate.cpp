// SPDX-License-Identifier: Apache-2.0
//
// tag, note, rename, groups, and diff.
#include "batchscope/protocol/error.h"
#include "run_store.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestAnnotate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { sandbox_ = std::make_unique<Sandbox>(); }

  void tags() {
    const QString id = QString::fromStdString(RunMaker{.tags = {"draft"}}(*sandbox_));
    QCOMPARE(ask({"tag", id, "+paper", "-draft", "plain", "-hard"}).code, int(kExitOk));
    QVERIFY(ask({"tag", id}).out.contains("paper, plain"));
    QCOMPARE(ask({"tag", id, "--json"}).json()["run"].toObject()["tags"].toArray(),
             QJsonArray({"paper", "plain"}));
    QVERIFY(ask({"show", id}).out.contains("paper, plain"));
    for (const QStringList& wrong : {QStringList{"+"}, {"+a,b"}, {"+a", "-a"}, {"--nosuch"}, {"+a\nb"}})
      QCOMPARE(ask(QStringList{"tag", id} + wrong).code, int(kExitUsage));
    QCOMPARE(ask({"tag", id, "--json"}).json()["run"].toObject()["tags"].toArray().size(), 2);
  }

  void notes() {
    const QString id = QString::fromStdString(RunMaker()(*sandbox_));
    QCOMPARE(ask({"note", id}).out, QString());
    QCOMPARE(ask({"note", id, "warm-up of 500 steps"}).code, int(kExitOk));
    QCOMPARE(ask({"note", id}).out, "warm-up of 500 steps\n");
    QVERIFY(ask({"show", id}).out.contains("warm-up of 500 steps"));

    auto process = sandbox_->prepare({"note", id, "-"});
    process->setStandardInputFile(QString());
    process->start();
    process->write("two\nlines\n");
    process->closeWriteChannel();
    QCOMPARE(Sandbox::finish(*process).code, int(kExitOk));
    QCOMPARE(ask({"note", id}).out, "two\nlines\n");
    QCOMPARE(ask({"note", id, ""}).code, int(kExitOk));
    QCOMPARE(ask({"note", id, "--json"}).json()["run"].toObject()["note"].toString(), "");
  }

  void names() {
    const QString id = QString::fromStdString(RunMaker()(*sandbox_));
    QVERIFY(ask({"rename", "digits", "baseline"}).out.contains("digits (" + id + ") is now called baseline"));
    QCOMPARE(ask({"show", "baseline"}).code, int(kExitOk));
    for (const char* wrong : {"", "latest", "two\nlines"})
      QCOMPARE(ask({"rename", id, wrong}).code, int(kExitUsage));
  }

  void groupsAreShown() {
    RunMaker{.group = "ablation"}(*sandbox_);
    QVERIFY(ask({"show", "latest"}).out.contains(QRegularExpression("group +ablation")));
    QCOMPARE(ask({"ls", "--json"}).json()["runs"].toArray()[0].toObject()["group"].toString(), "ablation");
  }

  void diffShowsWhatDiffers() {
    RunMaker{.name = "a", .accuracy = 0.5, .hyperparameters = {{"lr", "0.1"}, {"same", "1"}}}(*sandbox_);
    RunMaker{
        .name = "b", .accuracy = 0.75, .tags = {"paper"}, .hyperparameters = {{"lr", "0.2"}, {"same", "1"}}}(
        *sandbox_);
    const Answer answer = ask({"diff", "a", "b"});
    QCOMPARE(answer.code, int(kExitOk));
    for (const char* form :
         {"Hyperparameters", "lr +0.1 +0.2", "accuracy +50.00 % +75.00 % +\\+50 %", "tags +- +paper"})
      QVERIFY2(answer.out.contains(QRegularExpression(form)), qPrintable(answer.out));
    for (const char* same : {"same", "loss", "command", "Generations"})
      QVERIFY2(!answer.out.contains(same), qPrintable(answer.out));
    QVERIFY(ask({"diff", "a", "b", "--all"}).out.contains("same"));

    const QJsonObject json = ask({"diff", "a", "b", "--json"}).json();
    QCOMPARE(json["hyperparameters"].toObject(), (QJsonObject{{"lr", QJsonArray{"0.1", "0.2"}}}));
    QCOMPARE(json["latest"].toObject()["accuracy"].toArray(), (QJsonArray{0.5, 0.75}));
    QVERIFY(json["generations"].toObject().isEmpty());
  }

  void diffOfARunWithItselfIsEmpty() {
    RunMaker()(*sandbox_);
    QVERIFY(ask({"diff", "latest", "latest"}).out.contains("They do not differ."));
    QCOMPARE(ask({"diff", "latest", "nosuch"}).code, int(kExitNotFound));
  }

 private:
  Answer ask(const QStringList& arguments) const { return sandbox_->ask(arguments); }

  std::unique_ptr<Sandbox> sandbox_;
};

BATCHSCOPE_TEST(TestAnnotate)
#include "test_annotate.moc"
