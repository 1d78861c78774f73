// SPDX-License-Identifier: Apache-2.0
//
// Getting at a run's files: cp, within the run's folder and never out of it, and tensorboard.
#include "command_test.h"
#include "rows.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestFiles : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    newSandbox();
    id_ = makeRun();
    write(inRun("share/models/best.pt"), "weights");
    write("secret", "outside");
  }

  void aFileIsCopied() {
    const Answer answer = ask({"cp", "latest:share/models/best.pt", "mine.pt"});
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.out, QString("mine.pt\n"));
    QCOMPARE(contents("mine.pt"), QByteArray("weights"));
  }

  void aFolderIsCopiedIntoAnother() {
    QVERIFY(QDir().mkpath(sandbox_->path("here")));
    const Answer answer = ask({"cp", "digits:share/", "here", "--json"});
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.json()["to"].toString(), QString("here/share"));
    QCOMPARE(contents("here/share/models/best.pt"), QByteArray("weights"));
  }

  void nothingIsOverwrittenUnasked() {
    write("mine.pt", "older");
    QCOMPARE(ask({"cp", "latest:share/models/best.pt", "mine.pt"}).code, kExitConflict);
    QCOMPARE(contents("mine.pt"), QByteArray("older"));
    QCOMPARE(ask({"cp", "latest:share/models/best.pt", "mine.pt", "--force"}).code, kExitOk);
    QCOMPARE(contents("mine.pt"), QByteArray("weights"));
  }

  void nothingOutsideIsReached_data() {
    testing::rows("path",
                  {"../../secret", "share/../../../secret", "/etc/hostname", "link", "folder/secret", ".."});
  }
  void nothingOutsideIsReached() {
    QFETCH(QString, path);
    QVERIFY(QFile::link(sandbox_->path("secret"), inRun("link")));
    QVERIFY(QFile::link(sandbox_->path(""), inRun("folder")));
    VERIFY_REFUSED(kExitUsage, "outside the run's folder", ask({"cp", "latest:" + path, "stolen"}));
    QVERIFY(!QFile::exists(sandbox_->path("stolen")));
  }

  void linksInAFolderStayLinks() {
    QVERIFY(QFile::link("/etc", inRun("share/etc")));
    QCOMPARE(ask({"cp", "latest:share", "copy"}).code, kExitOk);
    QVERIFY(QFileInfo(sandbox_->path("copy/etc")).isSymLink());
  }

  void mistakesAreNamed() {
    QCOMPARE(ask({"cp", "latest", "mine.pt"}).code, kExitUsage);
    QCOMPARE(ask({"cp", "latest:share/none", "mine.pt"}).code, kExitNotFound);
    QCOMPARE(ask({"cp", "nosuch:share", "mine.pt"}).code, kExitNotFound);
    QCOMPARE(ask({"cp", "latest:share/models/best.pt", "no/such/folder"}).code, kExitFailure);
  }

  void tensorboardIsStartedOnTheEventFiles() {
    const Answer answer = askWithTensorboard({"tensorboard", "latest", "--port", "7007"});
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.out, "--logdir\n" + inRun("tensorboard") + "\n--port\n7007\n");
  }

  void tensorboardComparesSeveralRuns() {
    const QString other = makeRun({.name = "wide: 2,3"});
    const Answer answer = askWithTensorboard({"tensorboard", "digits", "latest"});
    QCOMPARE(answer.code, kExitOk);
    QCOMPARE(answer.out, "--logdir_spec\ndigits-" + id_ + ":" + inRun("tensorboard") + ",wide_ 2_3-" + other +
                             ":" + sandbox_->path("runs/" + other + "/tensorboard") + "\n");
    QCOMPARE(ask({"tensorboard", "digits", "nosuch"}).code, kExitNotFound);
  }

  void whereTensorboardIsMissingItSaysHowToGetIt() {
    const Answer answer = sandbox_->ask({"tensorboard", "latest"}, {{"PATH", sandbox_->path("nowhere")}});
    QCOMPARE(answer.code, kExitNotFound);
    VERIFY_HOLDS(answer.err, "install tensorboard", inRun("tensorboard"));
  }

 private:
  // Asks beside a program of that name that says what it was started with.
  Answer askWithTensorboard(const QStringList& words) const {
    const QString program = sandbox_->path("bin/tensorboard");
    write("bin/tensorboard", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    if (!QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner))
      qFatal("no program can be made");
    return sandbox_->ask(words, {{"PATH", sandbox_->path("bin") + ":" + qEnvironmentVariable("PATH")}});
  }
};

BATCHSCOPE_TEST(TestFiles)
#include "test_files.moc"
