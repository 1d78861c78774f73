// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports from the window: pictures whose lines are lines, numbers as they were recorded, and a report that
// stands alone. The file dialog is worked as a person does it.
#include <QDir>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QToolTip>
#include <cmath>

#include "batchscope/protocol/error.h"
#include "chart/clip.h"
#include "scaling/scaling_page.h"
#include "share/data_export.h"
#include "share/picture_export.h"
#include "share/report.h"
#include "share/share_menu.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestShare : public test::WindowTest {
  Q_OBJECT

  std::string id_;

  // Presses the keys, types the name, and presses Enter; `between` happens before that.
  void saveBy(
      int key, Qt::KeyboardModifiers modifiers, const QString& file, const QString& filter = {},
      const std::function<void()>& between = [] {}) {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), static_cast<Qt::Key>(key), modifiers);
    between();
    saveAs(file, filter);
  }
  void saveAs(const QString& file, const QString& filter = {}) {
    QPointer<QFileDialog> dialog = window_->findChild<QFileDialog*>();
    QVERIFY(dialog != nullptr);
    if (!filter.isEmpty()) dialog->selectNameFilter(filter);
    auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    QVERIFY(name != nullptr);
    name->setText(file);
    QTest::keyClick(name, Qt::Key_Return);
    QTRY_VERIFY(dialog.isNull());
  }

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    id_ = test::writeSyntheticRun(catalogue_, {.name = "digits <b>&", .stepsPerGeneration = 400});
    showWindow();
    test::awaitDrawn(*window_);
  }

  // Neither the run's name nor what a program said of it is taken for HTML, wherever it is shown.
  void aNameIsShownAsItIs() {
    const QString name = QStringLiteral("<b>x</b><img src=\"file:///tmp/x.png\">");
    catalogue_.set_name(id_, name.toStdString());
    catalogue_.set_tags(id_, {name.left(60).toStdString()});
    catalogue_.set_note(id_, name.toStdString());
    catalogue_.set_state(id_, protocol::RunState::finished, name.toStdString());
    const auto restore = qScopeGuard([this] {
      catalogue_.set_name(id_, "digits <b>&");
      catalogue_.set_tags(id_, {});
      catalogue_.set_note(id_, {});
    });
    const auto labels = [&] {
      QList<QLabel*> found;
      for (QWidget* widget : QApplication::allWidgets())
        if (auto* label = qobject_cast<QLabel*>(widget); label != nullptr && label->text().contains(name))
          found << label;
      return found;
    };
    QTRY_VERIFY(!labels().isEmpty());
    for (QWidget* page : window_->findChildren<QWidget*>()) page->ensurePolished();
    QMessageBox box(QMessageBox::Question, name, name, QMessageBox::Ok, window_.get());
    box.setInformativeText(name);
    box.show();
    QVERIFY(QTest::qWaitForWindowExposed(&box));
    QToolTip::showText(window_->mapToGlobal(QPoint(5, 5)), name, window_.get());
    int tips = 0;
    for (const QLabel* label : labels()) {
      QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->objectName()));
      tips += label->inherits("QTipLabel") ? 1 : 0;
    }
    QCOMPARE(tips, 1);
    QToolTip::hideText();
  }

  void aVectorPictureHasItsLines() {
    const QString file = store_.path(QStringLiteral("dashboard.svg"));
    saveBy(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier, file,
           QStringLiteral("Vector picture (*.svg)"));
    const QByteArray svg = contentOf(file);
    QVERIFY(QSvgRenderer(svg).isValid());
    // The batch size in its colour, as a line of the points that the window draws.
    const SceneLine& line = plotAt(1)->painter().scene().lines[0];
    QVERIFY(svg.count("<polyline") > 20);
    QVERIFY(svg.contains(Theme::light().series[0].name().toUtf8()));
    QVERIFY(!line.pieces.empty());
    // No plot hides in it as pixels: what is left of those are small icons.
    qsizetype from = 0;
    while ((from = svg.indexOf("<image", from)) >= 0) {
      const qsizetype end = svg.indexOf('>', from);
      QVERIFY(end - from < 20'000);
      from = end;
    }
  }

  void aPictureIsTwiceAsFine() {
    const QString file = store_.path(QStringLiteral("dashboard.png"));
    saveBy(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier, file);
    const QImage image(file);
    QCOMPARE(image.size(), window_->dashboard()->sheet()->size() * 2);
    QVERIFY_EXCEPTION_THROWN(savePicture(Picture(window_->dashboard()), QStringLiteral("/nowhere/x.png")),
                             Error);
    QVERIFY_EXCEPTION_THROWN(savePicture(Picture(window_->dashboard()), store_.path(QStringLiteral("x.gif"))),
                             Error);
  }

  void dataHoldsEverySample() {
    const QString csv = store_.path(QStringLiteral("data.csv"));
    saveBy(Qt::Key_E, Qt::ControlModifier, csv);
    const QList<QByteArray> lines = contentOf(csv).trimmed().split('\n');
    QCOMPARE(lines.size(), 1 + 3 * 400);
    const QList<QByteArray> names = lines[0].split(',');
    QCOMPARE(names[0], QByteArray("generation"));
    QCOMPARE(names[1], QByteArray("step"));
    QCOMPARE(names[2], QByteArray("time"));
    const auto batch = names.indexOf("batch_size");
    const auto compute = names.indexOf("step_time-sync_time");
    QVERIFY(batch > 0 && compute > 0);
    const QList<QByteArray> row = lines[500].split(',');
    QCOMPARE(row.size(), names.size());
    const StepRef at{row[0].toInt(), row[1].toLongLong()};
    SeriesModel& model = *window_->session()->series();
    QCOMPARE(row[2].toDouble(), *model.value("time", at));
    QCOMPARE(row[batch].toDouble(), *model.value("batch_size", at));
    QCOMPARE(row[compute].toDouble(), *model.value("step_time-sync_time", at));
  }

  void jsonSaysNullWhereThereIsNothing() {
    const common::SampleTable table = readSamples(protocol::run_paths(id_).samples, {"accuracy", "loss"});
    const QJsonArray rows = QJsonDocument::fromJson(QByteArray::fromStdString(toJson(table)))
                                .object()
                                .value(QStringLiteral("samples"))
                                .toArray();
    QCOMPARE(rows.size(), 1200);
    QVERIFY(rows[3].toObject().value(QStringLiteral("accuracy")).isNull());
    QVERIFY(rows[3].toObject().value(QStringLiteral("loss")).isDouble());
  }

  void theReportStandsAlone() {
    const QString file = store_.path(QStringLiteral("report.html"));
    saveBy(Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier, file);
    const QByteArray html = contentOf(file);
    const QString folder = qEnvironmentVariable("BATCHSCOPE_PICTURES");
    if (!folder.isEmpty()) saveFile(folder + QStringLiteral("/report.html"), html);
    QVERIFY(html.contains("digits &lt;b&gt;&amp;"));
    QVERIFY(!html.contains("digits <b>"));
    const std::size_t figures = window_->dashboard()->cards().size() + window_->scaling()->cards().size();
    QCOMPARE(html.count("<svg"), static_cast<qsizetype>(figures));
    QVERIFY(html.contains("Goodput over replicas") && html.contains(">extrapolated<"));
    for (const char* outside : {"<script", "<link", "url(", "@import", "<iframe"})
      QVERIFY2(!html.contains(outside), outside);
    static const QRegularExpression source(QStringLiteral("(src|href)\\s*=\\s*\"(?!data:|#)"));
    QVERIFY(!source.match(QString::fromUtf8(html)).hasMatch());
    for (const char* word : {"AdaScale", "checkpoint-00002", "Restarted on 4 replicas", "First step 8 ms"})
      QVERIFY2(html.contains(word), word);
  }

  void whatCameOfItIsSaid() {
    auto* menu = window_->findChild<ShareMenu*>();
    QSignalSpy said(menu, &ShareMenu::said);
    // A folder in place of the file.
    const QString taken = store_.path(QStringLiteral("taken.csv"));
    QVERIFY(QDir().mkpath(taken));
    QVERIFY_EXCEPTION_THROWN(saveFile(taken, "x"), Error);
    saveBy(Qt::Key_E, Qt::ControlModifier, store_.path(QStringLiteral("data2.csv")));
    QCOMPARE(said.count(), 1);
    QVERIFY(said[0][0].toString().startsWith(QStringLiteral("Saved ")));
  }

  void figuresHaveTheirNumbers() {
    const QString csv = store_.path(QStringLiteral("replicas.csv"));
    QVERIFY(test::clickMenu(*window_,
                            QStringLiteral("Share/Save the data of why it scaled/Goodput over replicas")));
    saveAs(csv);
    const QList<QByteArray> lines = contentOf(csv).trimmed().split('\n');
    QCOMPARE(lines[0], QByteArray("replicas,batch_size,predicted_goodput,generation,measured_goodput"));
    QVERIFY(lines.size() > 1 + 8);
    QVERIFY(lines[1].startsWith("1,") && lines[1].endsWith(",,"));  // predicted
    QVERIFY(lines.last().startsWith("8,,,2,"));                     // measured
    for (const QByteArray& line : lines) QCOMPARE(line.count(','), qsizetype{4});
  }

  // Another run may have been opened by the time that the file has its name.
  void whatIsSavedIsOfTheRunThatWasShown() {
    const std::string other =
        test::writeSyntheticRun(catalogue_, {.name = "another one", .stepsPerGeneration = 100});
    watcher_.reload();
    const auto open = [&] { window_->openRun(other); };
    const auto back = [&] {
      window_->openRun(id_);
      QTRY_COMPARE(window_->session()->run().id, id_);
      test::awaitDrawn(*window_);
    };
    const QString csv = store_.path(QStringLiteral("of-which.csv")),
                  html = store_.path(QStringLiteral("of-which.html")),
                  png = store_.path(QStringLiteral("of-which.png"));
    saveBy(Qt::Key_E, Qt::ControlModifier, csv, {}, open);
    QCOMPARE(window_->session()->run().id, other);
    QCOMPARE(contentOf(csv).trimmed().count('\n'), qsizetype{3 * 400});
    back();
    saveBy(Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier, html, {}, open);
    QVERIFY(contentOf(html).contains("digits &lt;b&gt;&amp;") && !contentOf(html).contains("another one"));
    back();
    const QString before = store_.path(QStringLiteral("before.png"));
    savePicture(Picture(window_->dashboard()->sheet()), before);
    saveBy(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier, png, {}, [&] {
      open();
      test::awaitDrawn(*window_);
    });
    QVERIFY(!contentOf(png).isEmpty() && contentOf(png) == contentOf(before));
    back();
  }

  void linesAreCutAtTheEdge() {
    const QRectF box(0, 0, 10, 10);
    QVERIFY(clipped({{-5, -5}, {-1, 20}}, box).empty());
    const auto through = clipped({{-5, 5}, {15, 5}}, box);
    QCOMPARE(through.size(), 1u);
    QCOMPARE(through[0], (QPolygonF{{0, 5}, {10, 5}}));
    // Out and in again: two pieces.
    const auto twice = clipped({{2, 5}, {5, 15}, {8, 5}}, box);
    QCOMPARE(twice.size(), 2u);
    QCOMPARE(twice[0].last(), QPointF(3.5, 10));
    QCOMPARE(twice[1].first(), QPointF(6.5, 10));
    QCOMPARE(clipped({{1, 1}, {2, 2}, {3, 1}}, box), (std::vector<QPolygonF>{{{1, 1}, {2, 2}, {3, 1}}}));
  }
};

BATCHSCOPE_TEST(TestShare)
#include "test_share.moc"
