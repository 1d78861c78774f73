// SPDX-License-Identifier: GPL-3.0-or-later
//
// A citizen of the desktop: its entry, metainfo and icons pass the desktop's own validators where those are
// installed, a second start comes to the window that is open, and the next session goes on as the last.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMessageBox>
#include <QPainter>
#include <QProcess>
#include <QSettings>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QXmlStreamReader>

#include "explorer/explorer_panel.h"
#include "lessons/lesson.h"
#include "test_case.h"
#include "window/single_instance.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

const QString kResources = QStringLiteral(BATCHSCOPE_RESOURCES);
const QString kId = QStringLiteral("org.batchscope.BatchScope");

QString resource(const QString& name) { return kResources + QLatin1Char('/') + name; }

QString desktopFile(const char* ending) { return resource(QStringLiteral("desktop/%1.%2").arg(kId, ending)); }

struct Answer {
  int status = -1;
  QString text;
};

Answer call(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, arguments);
  Answer answer;
  // The event loop goes on: what is called may call back.
  QSignalSpy finished(&process, &QProcess::finished);
  if (process.waitForStarted() && (finished.wait(30'000) || process.state() == QProcess::NotRunning))
    answer.status = process.exitCode();
  answer.text = QString::fromUtf8(process.readAll());
  return answer;
}

QString window() { return qEnvironmentVariable("BATCHSCOPE_BIN") + QStringLiteral("/batchscope-desktop"); }

// The values of a key in a desktop entry's first group.
QString entry(const QString& key) {
  return QSettings(desktopFile("desktop"), QSettings::IniFormat)
      .value(QStringLiteral("Desktop Entry/") + key)
      .toString();
}

}  // namespace

class TestCitizen : public test::WindowTest {
  Q_OBJECT

  std::string id_, other_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("XDG_RUNTIME_DIR", store_.path(QStringLiteral("runtime")).toUtf8());
    QVERIFY(QDir().mkpath(store_.path(QStringLiteral("runtime"))));
    QFile::setPermissions(store_.path(QStringLiteral("runtime")),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    id_ = test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 60});
    other_ = test::writeSyntheticRun(catalogue_, {.name = "other", .stepsPerGeneration = 60});
    watcher_.reload();
  }

  void theEntryIsValid() {
    QCOMPARE(entry(QStringLiteral("Type")), QStringLiteral("Application"));
    QCOMPARE(entry(QStringLiteral("Icon")), kId);
    QVERIFY(entry(QStringLiteral("Exec")).startsWith(QStringLiteral("batchscope-desktop")));
    const QString validate = QStandardPaths::findExecutable(QStringLiteral("desktop-file-validate"));
    if (validate.isEmpty()) QSKIP("desktop-file-validate is not installed");
    const Answer answer = call(validate, {desktopFile("desktop")});
    QVERIFY2(answer.status == 0 && answer.text.isEmpty(), qPrintable(answer.text));
  }

  void theMetainfoIsValid() {
    const QString validate = QStandardPaths::findExecutable(QStringLiteral("appstreamcli"));
    if (validate.isEmpty()) QSKIP("appstreamcli is not installed");
    const Answer answer = call(validate, {"validate", "--no-net", desktopFile("metainfo.xml")});
    QVERIFY2(answer.status == 0, qPrintable(answer.text));
  }

  // The entry, the metainfo and the types' file speak of the same type, which has an icon.
  void exportedRunsBelongToTheWindow() {
    const QString type = entry(QStringLiteral("MimeType")).remove(QLatin1Char(';'));
    QFile file(desktopFile("mime.xml"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QXmlStreamReader xml(&file);
    QMap<QString, QString> said;  // by each element in its attribute
    while (!xml.atEnd()) {
      if (xml.readNext() == QXmlStreamReader::StartElement && !xml.attributes().isEmpty())
        said[xml.name().toString()] = xml.attributes().front().value().toString();
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(said["mime-type"], type);
    QCOMPARE(said["glob"], QStringLiteral("*.batchscope"));
    QVERIFY(QFile::exists(
        resource(QStringLiteral("icons/hicolor/scalable/mimetypes/%1.svg").arg(said["generic-icon"]))));
    QFile metainfo(desktopFile("metainfo.xml"));
    QVERIFY(metainfo.open(QIODevice::ReadOnly));
    QVERIFY(metainfo.readAll().contains(type.toUtf8()));
  }

  void everyIconIsDrawn() {
    int seen = 0;
    for (QDirIterator files(resource(QStringLiteral("icons/hicolor")), {QStringLiteral("*.svg")}, QDir::Files,
                            QDirIterator::Subdirectories);
         files.hasNext();) {
      const QString name = files.next();
      QSvgRenderer renderer(name);
      QVERIFY2(renderer.isValid(), qPrintable(name));
      QCOMPARE(renderer.viewBoxF().width(), renderer.viewBoxF().height());
      for (const int size : {16, 48, 256}) {
        QImage image(size, size, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        renderer.render(&painter);
        painter.end();
        int inked = 0;
        for (int y = 0; y < size; ++y) {
          for (int x = 0; x < size; ++x) inked += qAlpha(image.pixel(x, y)) > 128;
        }
        QVERIFY2(inked > size * size / 8, qPrintable(name));
        QString kind = QFileInfo(name).path().section(QLatin1Char('/'), -2);
        kind.replace(QLatin1Char('/'), QLatin1Char('-'));
        test::keepPicture(QPixmap::fromImage(image), QStringLiteral("icon-%1-%2").arg(kind).arg(size));
      }
      ++seen;
    }
    QCOMPARE(seen, 4);
  }

  void aSecondStartComesToTheOpenWindow() {
    SingleInstance open(protocol::catalogue_path());
    QVERIFY(!open.handOver({}));
    QSignalSpy asked(&open, &SingleInstance::requested);
    const Answer second = call(window(), {"--run", "other"});
    QVERIFY2(second.status == 0, qPrintable(second.text));
    QVERIFY(second.text.contains(QStringLiteral("open")));
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].value<WindowRequest>().run, QString::fromStdString(other_));
  }

  // A window that crashed leaves its socket behind.
  void aStaleSocketIsTakenOver() {
    QProcess crashed;
    crashed.start(window(), {});
    const QDir runtime(store_.path(QStringLiteral("runtime")));
    const auto sockets = [&] {
      return runtime.entryList({QStringLiteral("batchscope-window-*")}, QDir::System);
    };
    QTRY_COMPARE_WITH_TIMEOUT(sockets().size(), 1, 30'000);
    crashed.kill();
    QVERIFY(crashed.waitForFinished());
    QCOMPARE(sockets().size(), 1);
    SingleInstance next(protocol::catalogue_path());
    QVERIFY(!next.handOver({}));
    QCOMPARE(call(window(), {}).status, 0);
  }

  void theNextSessionGoesOn() {
    {
      MainWindow first(&watcher_);
      first.resize(1300, 820);
      first.show();
      first.openRun(id_);
      first.view()->setAxis(XAxis::Samples, first.session()->series());
      first.view()->setSmoothing(0.9);
      first.view()->setLogX(true);
      first.showExplorer(true);
      QTest::qWait(20);
      first.close();
    }
    MainWindow next(&watcher_);
    next.show();
    QTRY_VERIFY(next.session()->isOpen());
    QCOMPARE(next.session()->run().id, id_);
    QCOMPARE(next.view()->axis(), XAxis::Samples);
    QCOMPARE(next.view()->smoothing(), 0.9);
    QVERIFY(next.view()->logX());
    QVERIFY(next.explorer()->isVisible());
    QCOMPARE(next.size(), QSize(1300, 820));
  }

  void helpSaysHow() {
    const Answer help = call(window(), {"--help"});
    QCOMPARE(help.status, 0);
    for (const char* word : {"--run", "--demo", "--grab", "--report", "--theme", "--new-window"})
      QVERIFY2(help.text.contains(QLatin1String(word)), word);
    QVERIFY(call(window(), {"--nonsense"}).status != 0);
  }

  void aReportNeedsNoDisplay() {
    const QString file = store_.path(QStringLiteral("report.html"));
    const Answer answer = call(window(), {"--report", file, "--run", "other"});
    QVERIFY2(answer.status == 0, qPrintable(answer.text));
    QFile report(file);
    QVERIFY(report.open(QIODevice::ReadOnly));
    QVERIFY(report.readAll().contains("<h1>other</h1>"));
  }

  void anExportedRunIsOpened() {
    const QString file = store_.path(QStringLiteral("mine.batchscope"));
    QVERIFY(QFile::copy(recordedRunFile(QStringLiteral("linear")), file));
    {
      SingleInstance open(protocol::catalogue_path());
      QVERIFY(!open.handOver({}));
      QSignalSpy asked(&open, &SingleInstance::requested);
      QCOMPARE(call(window(), {file}).status, 0);
      QCOMPARE(asked[0][0].value<WindowRequest>().file, file);
    }
    MainWindow shown(&watcher_, false);
    shown.show();
    shown.importRuns({file});
    QTRY_VERIFY_WITH_TIMEOUT(
        shown.session()->isOpen() && shown.session()->run().name == "digits, linear scaling", 60'000);
    // A file that is not a run is refused, and nothing is lost by it.
    const Answer missing = call(window(), {file + "x"});
    QVERIFY(missing.status != 0 && missing.text.contains(QStringLiteral("there is no file")));
    QVERIFY(call(window(), {"--grab", "a.png", file}).status != 0);
    shown.importRuns({desktopFile("mime.xml")});
    QTRY_VERIFY_WITH_TIMEOUT(shown.findChild<QMessageBox*>() != nullptr, 60'000);
    QVERIFY(
        shown.findChild<QMessageBox*>()->informativeText().contains(QStringLiteral("could not be imported")));
  }
};

BATCHSCOPE_TEST(TestCitizen)
#include "test_citizen.moc"
