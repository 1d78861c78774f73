// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exported runs that are dropped on the window are taken in, several at once; a file that is none is named,
// and keeps no other from it.
#include <QDropEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QUrl>

#include "batchscope/run/client.h"
#include "test_case.h"
#include "thrown.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

class TestImport : public test::WindowTest {
  Q_OBJECT

  QString exported(const char* name) {
    const std::string id = test::writeSyntheticRun(catalogue_, {.name = name, .stepsPerGeneration = 40});
    const QString file = store_.path(QLatin1String(name) + QStringLiteral(".jsonl"));
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/batchscope");
    if (QProcess::execute(
            program, {QStringLiteral("export"), QString::fromStdString(id), QStringLiteral("-o"), file}) != 0)
      qFatal("%s cannot export", qPrintable(program));
    catalogue_.remove_run(id);
    return file;
  }
  void drop(const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter({300, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent dropped({300, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &dropped);
  }

 private Q_SLOTS:
  void initTestCase() { showWindow({1280, 720}); }

  void severalFilesAreDropped() {
    const QStringList files{exported("one"), exported("two")};
    watcher_.reload();
    QVERIFY(watcher_.runs().empty());
    drop(files);
    QTRY_COMPARE_WITH_TIMEOUT(watcher_.runs().size(), 2u, 60'000);
    QTRY_VERIFY(window_->session()->isOpen());
    QTRY_COMPARE(window_->session()->run().name, std::string("two"));
    QVERIFY(window_->findChild<QMessageBox*>() == nullptr);
  }

  void aBadFileKeepsNoOtherOut() {
    const QString torn = store_.path(QStringLiteral("torn.jsonl")), good = exported("three");
    {
      QFile whole(good), part(torn);
      QVERIFY(whole.open(QIODevice::ReadOnly) && part.open(QIODevice::WriteOnly));
      part.write(whole.read(whole.size() / 2));
    }
    drop({torn, store_.path(QStringLiteral("nowhere.jsonl")), good});
    QTRY_COMPARE_WITH_TIMEOUT(watcher_.runs().size(), 3u, 60'000);
    QTRY_VERIFY(window_->findChild<QMessageBox*>() != nullptr);
    auto* box = window_->findChild<QMessageBox*>();
    VERIFY_HOLDS(box->text(), "2 files were not imported");
    VERIFY_HOLDS(box->informativeText(), "torn.jsonl", "nowhere.jsonl");
    QCOMPARE(window_->session()->run().name, std::string("three"));
    test::keepPicture(*box, QStringLiteral("import-refused"));
    box->close();
  }

  // A program that may move the file behind a drop would delete it: it is copied, whatever keys are held.
  void whatIsDroppedStaysWhereItIs() {
    const QString file = exported("four");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent move({300, 300}, Qt::MoveAction, &data, Qt::LeftButton, {});
    move.ignore();
    QApplication::sendEvent(window_.get(), &move);
    QVERIFY(!move.isAccepted());
    const auto either = Qt::CopyAction | Qt::MoveAction;
    QDragEnterEvent enter({300, 300}, either, &data, Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(window_.get(), &enter);
    QDropEvent dropped({300, 300}, either, &data, Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(window_.get(), &dropped);
    QVERIFY(dropped.isAccepted());
    QCOMPARE(dropped.dropAction(), Qt::CopyAction);
    QTRY_COMPARE_WITH_TIMEOUT(watcher_.runs().size(), 4u, 60'000);
    QVERIFY(QFile::exists(file));
  }

  void whatIsNoFileIsNotTaken() {
    QMimeData data;
    data.setText(QStringLiteral("words"));
    QDragEnterEvent enter({300, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    enter.ignore();
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(!enter.isAccepted());
  }
};

BATCHSCOPE_TEST(TestImport)
#include "test_import.moc"
