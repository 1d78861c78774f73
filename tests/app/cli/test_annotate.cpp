// SPDX-License-Identifier: Apache-2.0
//
// tag, note, rename, groups, and diff.
#include "command_test.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestAnnotate : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void tags() {
    const QString id = makeRun({.tags = {"draft"}});
    QCOMPARE(ask({"tag", id, "+paper", "-draft", "plain", "-hard"}).code, kExitOk);
    QVERIFY(ask({"tag", id}).out.contains("paper, plain"));
    QCOMPARE(ask({"tag", id, "--json"}).json()["run"].toObject()["tags"].toArray(),
             QJsonArray({"paper", "plain"}));
    QVERIFY(ask({"show", id}).out.contains("paper, plain"));
    for (const QStringList& wrong : {QStringList{"+"}, {"+a,b"}, {"+a", "-a"}, {"--nosuch"}, {"+a\nb"}})
      QCOMPARE(ask(QStringList{"tag", id} + wrong).code, kExitUsage);
    QCOMPARE(ask({"tag", id, "--json"}).json()["run"].toObject()["tags"].toArray().size(), 2);
  }

  void dashesEndTheFlags() {
    const QString id = makeRun({.name = "-odd", .tags = {"a", "-json"}});
    VERIFY_CODE(kExitOk, ask({"tag", id, "--", "--json", "-a", "b"}));
    QCOMPARE(ask({"tag", id, "--json"}).json()["run"].toObject()["tags"].toArray(), QJsonArray({"b"}));
    VERIFY_CODE(kExitOk, ask({"note", id, "--", "-x"}));
    QCOMPARE(ask({"note", id}).out, "-x\n");
    VERIFY_HOLDS(ask({"show", "--", "-odd"}).out, "-odd  " + id);
    VERIFY_CODE(kExitOk, ask({"rename", "--", "-odd", "--json"}));
    QCOMPARE(runs()[0].toObject()["name"].toString(), "--json");
  }

  void notes() {
    const QString id = makeRun();
    QCOMPARE(ask({"note", id}).out, QString());
    QCOMPARE(ask({"note", id, "warm-up of 500 steps"}).code, kExitOk);
    QCOMPARE(ask({"note", id}).out, "warm-up of 500 steps\n");
    QVERIFY(ask({"show", id}).out.contains("warm-up of 500 steps"));

    auto process = sandbox_->prepare({"note", id, "-"});
    process->setStandardInputFile(QString());
    process->start();
    process->write("two\nlines\n");
    process->closeWriteChannel();
    QCOMPARE(Sandbox::finish(*process).code, kExitOk);
    QCOMPARE(ask({"note", id}).out, "two\nlines\n");
    QCOMPARE(ask({"note", id, ""}).code, kExitOk);
    QCOMPARE(ask({"note", id, "--json"}).json()["run"].toObject()["note"].toString(), "");
  }

  void names() {
    const QString id = makeRun();
    QVERIFY(ask({"rename", "digits", "baseline"}).out.contains("digits (" + id + ") is now called baseline"));
    QCOMPARE(ask({"show", "baseline"}).code, kExitOk);
    for (const char* wrong : {"", "latest", "two\nlines"})
      QCOMPARE(ask({"rename", id, wrong}).code, kExitUsage);
  }

  void groupsAreShown() {
    makeRun({.group = "ablation"});
    QVERIFY(ask({"show", "latest"}).out.contains(QRegularExpression("group +ablation")));
    QCOMPARE(runs()[0].toObject()["group"].toString(), "ablation");
  }

  void diffShowsWhatDiffers() {
    makeRun({.name = "a", .accuracy = 0.5, .hyperparameters = {{"lr", "0.1"}, {"same", "1"}}});
    makeRun({.name = "b",
             .accuracy = 0.75,
             .tags = {"paper"},
             .hyperparameters = {{"lr", "0.2"}, {"same", "1"}}});
    const Answer answer = ask({"diff", "a", "b"});
    QCOMPARE(answer.code, kExitOk);
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
    makeRun();
    QVERIFY(ask({"diff", "latest", "latest"}).out.contains("They do not differ."));
    QCOMPARE(ask({"diff", "latest", "nosuch"}).code, kExitNotFound);
  }
};

BATCHSCOPE_TEST(TestAnnotate)
#include "test_annotate.moc"
