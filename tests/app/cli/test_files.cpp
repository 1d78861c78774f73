// SPDX-License-Identifier: Apache-2.0
//
// Getting at a run's files: cp, within the run's folder and never out of it, and tensorboard.
#include <QDir>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"
#include "sandbox.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestFiles : public QObject {
  Q_OBJECT

  std::unique_ptr<Sandbox> sandbox_;
  QString run_;

  Answer ask(const QStringList& arguments) const { return sandbox_->ask(arguments); }
  QString inRun(const QString& path) const { return sandbox_->path("runs/" + run_ + "/" + path); }

  static void write(const QString& path, const QByteArray& text) {
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  static QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no " + path.toUtf8());
  }

 private Q_SLOTS:
  void init() {
    sandbox_ = std::make_unique<Sandbox>();
    protocol::RunSpec spec;
    spec.name = "digits";
    spec.program = "/bin/true";
    storage::Catalogue catalogue(sandbox_->database().toStdString());
    run_ = QString::fromStdString(catalogue.create_run(spec));
    write(inRun("share/models/best.pt"), "weights");
    write(sandbox_->path("secret"), "outside");
  }

  void aFileIsCopied() {
    const Answer answer = ask({"cp", "latest:share/models/best.pt", "mine.pt"});
    QCOMPARE(answer.code, int(kExitOk));
    QCOMPARE(answer.out, QStringLiteral("mine.pt\n"));
    QCOMPARE(read(sandbox_->path("mine.pt")), QByteArray("weights"));
  }

  void aFolderIsCopiedIntoAnother() {
    QVERIFY(QDir().mkpath(sandbox_->path("here")));
    const Answer answer = ask({"cp", "digits:share/", "here", "--json"});
    QCOMPARE(answer.code, int(kExitOk));
    QCOMPARE(answer.json()["to"].toString(), QStringLiteral("here/share"));
    QCOMPARE(read(sandbox_->path("here/share/models/best.pt")), QByteArray("weights"));
  }

  void nothingIsOverwrittenUnasked() {
    write(sandbox_->path("mine.pt"), "older");
    QCOMPARE(ask({"cp", "latest:share/models/best.pt", "mine.pt"}).code, int(kExitConflict));
    QCOMPARE(read(sandbox_->path("mine.pt")), QByteArray("older"));
    QCOMPARE(ask({"cp", "latest:share/models/best.pt", "mine.pt", "--force"}).code, int(kExitOk));
    QCOMPARE(read(sandbox_->path("mine.pt")), QByteArray("weights"));
  }

  void nothingOutsideIsReached_data() {
    QTest::addColumn<QString>("path");
    for (const char* path :
         {"../../secret", "share/../../../secret", "/etc/hostname", "link", "folder/secret", ".."})
      QTest::newRow(path) << QString(path);
  }
  void nothingOutsideIsReached() {
    QFETCH(QString, path);
    QVERIFY(QFile::link(sandbox_->path("secret"), inRun("link")));
    QVERIFY(QFile::link(sandbox_->path(""), inRun("folder")));
    const Answer answer = ask({"cp", "latest:" + path, "stolen"});
    QCOMPARE(answer.code, int(kExitUsage));
    QVERIFY2(answer.err.contains("outside the run's folder"), qPrintable(answer.err));
    QVERIFY(!QFile::exists(sandbox_->path("stolen")));
  }

  void linksInAFolderStayLinks() {
    QVERIFY(QFile::link("/etc", inRun("share/etc")));
    QCOMPARE(ask({"cp", "latest:share", "copy"}).code, int(kExitOk));
    QVERIFY(QFileInfo(sandbox_->path("copy/etc")).isSymLink());
  }

  void mistakesAreNamed() {
    QCOMPARE(ask({"cp", "latest", "mine.pt"}).code, int(kExitUsage));
    QCOMPARE(ask({"cp", "latest:share/none", "mine.pt"}).code, int(kExitNotFound));
    QCOMPARE(ask({"cp", "nosuch:share", "mine.pt"}).code, int(kExitNotFound));
    QCOMPARE(ask({"cp", "latest:share/models/best.pt", "no/such/folder"}).code, int(kExitFailure));
  }

  void tensorboardIsStartedOnTheEventFiles() {
    const QString program = sandbox_->path("bin/tensorboard");
    write(program, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const auto process = sandbox_->prepare({"tensorboard", "latest", "--port", "7007"});
    QProcessEnvironment environment = process->processEnvironment();
    environment.insert("PATH", sandbox_->path("bin") + ":" + environment.value("PATH"));
    process->setProcessEnvironment(environment);
    process->start();
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, 0);
    QCOMPARE(answer.out, "--logdir\n" + inRun("tensorboard") + "\n--port\n7007\n");
  }

  void whereTensorboardIsMissingItSaysHowToGetIt() {
    const auto process = sandbox_->prepare({"tensorboard", "latest"});
    QProcessEnvironment environment = process->processEnvironment();
    environment.insert("PATH", sandbox_->path("nowhere"));
    process->setProcessEnvironment(environment);
    process->start();
    const Answer answer = Sandbox::finish(*process);
    QCOMPARE(answer.code, int(kExitNotFound));
    QVERIFY2(answer.err.contains("install tensorboard") && answer.err.contains(inRun("tensorboard")),
             qPrintable(answer.err));
  }
};

BATCHSCOPE_TEST(TestFiles)
#include "test_files.moc"
