// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dashboard as a list of charts that a person arranges: what a program records by its own names gets
// charts, a few of them unasked; charts are shown, hidden, moved, enlarged and presented, by mouse, by key
// and by menu; the layout is kept by the charts' names, and the default comes back.
#include <QLabel>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QProcess>
#include <QScrollBar>
#include <QSettings>
#include <QToolButton>

#include "batchscope/common/charts.h"
#include "batchscope/protocol/json.h"
#include "batchscope/storage/samples.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window/presentation.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

QString titlesOf(const std::vector<common::ChartSpec>& charts) {
  QStringList titles;
  for (const common::ChartSpec& chart : charts) titles << chart.title;
  return titles.join(QStringLiteral(" | "));
}

QString program() { return qEnvironmentVariable("BATCHSCOPE_BIN") + QStringLiteral("/batchscope"); }

// The answer of a server of this store, as a page gets it.
protocol::Json answerOf(const QString& path) {
  QProcess server;
  server.start(program(), {QStringLiteral("serve"), QStringLiteral("--json"), QStringLiteral("--port=0")});
  if (!server.waitForReadyRead()) return server.errorString().toStdString();
  const auto place = protocol::Json::parse(server.readLine().toStdString());
  QNetworkRequest request(
      QUrl(QStringLiteral("http://127.0.0.1:%1%2").arg(place.at("port").get<int>()).arg(path)));
  request.setRawHeader("Authorization", "Bearer " + QByteArray::fromStdString(place.at("token")));
  QNetworkAccessManager network;
  const std::unique_ptr<QNetworkReply> reply(network.get(request));
  const bool isAnswered = QTest::qWaitFor([&] { return reply->isFinished(); }, 30'000);
  server.terminate();
  server.waitForFinished();
  return isAnswered ? protocol::Json::parse(reply->readAll().toStdString(), nullptr, false) : "no answer";
}

}  // namespace

class TestDashboard : public test::WindowTest {
  Q_OBJECT

  Dashboard& dashboard() const { return *window_->dashboard(); }
  QStringList shown() const {
    QStringList names;
    for (const ChartCard* card : dashboard().cards())
      names << QString::fromStdString(card->plot()->spec().name);
    return names;
  }
  ChartCard* card(const char* name) const {
    for (ChartCard* each : dashboard().cards())
      if (each->plot()->spec().name == name) return each;
    return nullptr;
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(window_.get(), key, modifiers);
  }
  bool choose(const QString& entry) {
    return test::clickMenu(*window_, QStringLiteral("View/Charts/") + entry);
  }
  static QPoint headOf(const ChartCard* card) { return {30, card->plot()->y() / 2}; }

  // A chart is one entry of app/common's list, or a series that a program names: whichever face looks has it.
  void isInEveryFace(const std::string& series) {
    const QString run = QString::fromStdString(window_->session()->run().id);
    QProcess terminal;
    terminal.start(program(), {QStringLiteral("plot"), run, QStringLiteral("--list")});
    QVERIFY(terminal.waitForFinished());
    const QString listed = QString::fromUtf8(terminal.readAllStandardOutput());
    const protocol::Json page = answerOf(QStringLiteral("/api/runs/") + run);
    QVERIFY2(page.is_object() && page.contains("charts"), page.dump().c_str());
    std::set<std::string> charts;
    for (const protocol::Json& chart : page["charts"]) charts.insert(chart.at("name"));
    QVERIFY(charts.contains("own:" + series));
    QVERIFY2(listed.contains(QString::fromStdString(series)), qPrintable(listed));
    for (const common::ChartSpec& chart : common::runCharts()) {
      if (!charts.contains(chart.name)) continue;  // nothing of it is recorded
      QVERIFY2(listed.contains(chart.title), qPrintable(chart.title));
      const bool isAsked = chart.showing == common::Showing::Chosen;
      QVERIFY2(isAsked || card(chart.name.c_str()) != nullptr, chart.name.c_str());
    }
  }

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setApplicationName(QStringLiteral("batchscope"));
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 300});
    showWindow();
    test::awaitDrawn(*window_);
  }
  void cleanup() { dashboard().restoreDefaultLayout(); }

  void onlyAFewComeUnasked() {
    ChartLayout layout;
    std::vector<common::ChartSpec> charts{{.name = "gain", .title = {}, .unit = {}, .lines = {}}};
    for (const char* name : {"own:a", "own:b", "own:c", "own:d", "own:e", "own:f"})
      charts.push_back({.name = name, .title = {}, .unit = {}, .lines = {}, .isOwn = true});
    layout.setAvailable(charts);
    QVERIFY(layout.isShown("gain") && layout.isShown("own:d") && !layout.isShown("own:e"));
    QCOMPARE(layout.leftOut(), std::size_t{2});
    layout.setShown("own:f", true);
    layout.setShown("own:e", false);
    QCOMPARE(layout.leftOut(), std::size_t{0});
  }

  // A chart that a run does not have keeps its place for one that has it.
  void theOrderIsOfNames() {
    const auto chart = [](const char* name) {
      return common::ChartSpec{.name = name, .title = QString::fromLatin1(name), .unit = {}, .lines = {}};
    };
    ChartLayout layout;
    layout.setAvailable({chart("a"), chart("b"), chart("c")});
    layout.move("c", "a");
    QCOMPARE(titlesOf(layout.charts()), QStringLiteral("c | a | b"));
    layout.setAvailable({chart("b"), chart("c"), chart("d")});
    QCOMPARE(titlesOf(layout.charts()), QStringLiteral("c | d | b"));
    layout.setAvailable({chart("a"), chart("b"), chart("c")});
    QCOMPARE(titlesOf(layout.charts()), QStringLiteral("c | a | b"));
    QSettings settings(store_.path(QStringLiteral("layout.ini")), QSettings::IniFormat);
    layout.setShown("a", false);
    layout.save(settings);
    ChartLayout again;
    again.setAvailable({chart("a"), chart("b"), chart("c")});
    again.restore(settings);
    QCOMPARE(titlesOf(again.charts()), QStringLiteral("c | a | b"));
    QVERIFY(!again.isShown("a") && again.isShown("b"));
    again.reset();
    QCOMPARE(titlesOf(again.charts()), QStringLiteral("a | b | c"));
    QVERIFY(again.isShown("a"));
  }

  // Series names of many programs are not kept for ever.
  void theOrderIsBounded() {
    const auto chart = [](const std::string& name) {
      return common::ChartSpec{.name = name, .title = QString::fromStdString(name), .unit = {}, .lines = {}};
    };
    const auto kept = [this](const ChartLayout& layout) {
      QSettings settings(store_.path(QStringLiteral("bounded.ini")), QSettings::IniFormat);
      layout.save(settings);
      return settings.value(QStringLiteral("charts/order")).toStringList();
    };
    ChartLayout layout;
    layout.setAvailable({chart("a"), chart("b")});
    layout.move("b", "a");
    for (int run = 0; run < 50; ++run)
      layout.setAvailable({chart("a"), chart("b"), chart("own:" + std::to_string(run))});
    QCOMPARE(kept(layout), (QStringList{QStringLiteral("b"), QStringLiteral("a")}));
    for (int run = 0; run < 400; ++run) {
      const std::string own = "own:" + std::to_string(run);
      layout.setAvailable({chart("a"), chart("b"), chart(own)});
      layout.move(own, run % 2 == 0 ? "a" : "b");
      QVERIFY(kept(layout).contains(QString::fromStdString(own)));
    }
    QCOMPARE(kept(layout).size(), static_cast<qsizetype>(ChartLayout::kMostPlaces));
    layout.setAvailable({chart("a"), chart("b")});
    QCOMPARE(titlesOf(layout.charts()), QStringLiteral("b | a"));
  }

  void theDefaultTellsOneRun() {
    QCOMPARE(shown().join(QLatin1Char(' ')),
             QStringLiteral("gain batch-size goodput progress loss accuracy learning-rate step-time noise"));
    QCOMPARE(test::fault(*window_), QString());
  }

  void chartsAreChosenByMenu() {
    QVERIFY(choose(QStringLiteral("Show or hide/Batch size")));
    QVERIFY(card("batch-size") == nullptr);
    QVERIFY(choose(QStringLiteral("Show or hide/Gradient")));
    QVERIFY(card("gradient") != nullptr);
    QTRY_VERIFY(!card("gradient")->plot()->grab().isNull() &&
                !card("gradient")->plot()->painter().scene().isEmpty);
    QVERIFY(choose(QStringLiteral("Show or hide/Batch size")));
    QCOMPARE(shown().indexOf(QStringLiteral("batch-size")), 1);
    QVERIFY(test::clickMenu(*window_, QStringLiteral("View/Panels/Restore the default layout")));
    QVERIFY(card("gradient") == nullptr);
  }

  void chartsAreMovedByKeys() {
    press(Qt::Key_BracketRight);
    QCOMPARE(dashboard().current(), dashboard().cards()[0]);
    press(Qt::Key_BracketRight);
    QVERIFY(card("batch-size")->hasFocus());
    press(Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(shown().mid(0, 3).join(QLatin1Char(' ')), QStringLiteral("gain goodput batch-size"));
    press(Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
    press(Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
    press(Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);  // there is no place before the first
    QCOMPARE(shown().mid(0, 3).join(QLatin1Char(' ')), QStringLiteral("batch-size gain goodput"));
    QVERIFY(card("batch-size")->geometry().topLeft() == QPoint(0, 0));
    press(Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(card("batch-size") == nullptr);
  }

  // A card far down the list comes into sight when it is gone to.
  void theListScrolls() {
    QVERIFY(dashboard().verticalScrollBar()->maximum() > 0);
    ChartCard* last = dashboard().cards().back();
    QVERIFY(last->visibleRegion().isEmpty());
    QCOMPARE(dashboard().reveal(last->plot()->spec().lines[0].series), last);
    QVERIFY(!last->visibleRegion().isEmpty());
    QVERIFY(dashboard().reveal("no such series") == nullptr);
  }

  void chartsAreDraggedByTheHead() {
    ChartCard* gain = card("gain");
    ChartCard* goodput = card("goodput");
    QTest::mousePress(gain, Qt::LeftButton, {}, headOf(gain));
    const QPoint there = goodput->geometry().center();
    QSignalSpy changed(&dashboard(), &Dashboard::chartsChanged);
    QTest::mouseMove(gain, gain->mapFromParent(there));
    QTest::mouseMove(gain, gain->mapFromParent(there + QPoint(3, 3)));
    QCOMPARE(shown().indexOf(QStringLiteral("gain")), 2);
    QCOMPARE(changed.count(), 0);  // on its way it has no place yet
    QTest::mouseRelease(gain, Qt::LeftButton, {}, headOf(gain));
    QCOMPARE(changed.count(), 1);
    QCOMPARE(shown().mid(0, 3).join(QLatin1Char(' ')), QStringLiteral("batch-size goodput gain"));
    // The plot is not a handle: it zooms.
    test::drag(gain->plot(), 0.2, 0.6);
    QVERIFY(window_->view()->isZoomed());
    window_->view()->resetZoom();
    QCOMPARE(shown().indexOf(QStringLiteral("gain")), 2);
  }

  void oneChartFillsTheDashboard() {
    ChartCard* loss = card("loss");
    QTest::mouseDClick(loss, Qt::LeftButton, {}, headOf(loss));
    QCOMPARE(dashboard().enlarged(), loss);
    QCOMPARE(loss->size(), dashboard().size());
    QVERIFY(!card("gain")->isVisible());
    press(Qt::Key_BracketRight);
    QCOMPARE(dashboard().enlarged(), card("accuracy"));
    press(Qt::Key_Escape);
    QVERIFY(dashboard().enlarged() == nullptr && card("gain")->isVisible());
    card("goodput")->setFocus();
    press(Qt::Key_E);
    QCOMPARE(dashboard().enlarged(), card("goodput"));
    press(Qt::Key_E);
    QVERIFY(dashboard().enlarged() == nullptr);
  }

  void aCardHasItsMenu() {
    ChartCard* goodput = card("goodput");
    QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, goodput->mapToGlobal(QPoint(9, 9)));
    QCoreApplication::sendEvent(goodput, &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    QStringList entries;
    QAction* hide = nullptr;
    for (QAction* action : menu->actions()) {
      entries << action->text();
      if (action->text() == QLatin1String("Hide")) hide = action;
    }
    QVERIFY(entries.contains(QStringLiteral("Save its data …")));
    QVERIFY(hide != nullptr);
    hide->trigger();
    menu->close();
    QVERIFY(card("goodput") == nullptr);
  }

  void whereAllAreHiddenThatIsSaid() {
    while (!dashboard().cards().empty()) dashboard().setShown(shown().first().toStdString(), false);
    const auto button = [this](const char* text) -> QToolButton* {
      for (QToolButton* each : dashboard().findChildren<QToolButton*>())
        if (each->isVisible() && each->text() == QLatin1String(text)) return each;
      return nullptr;
    };
    const auto isSaid = [this] {
      const auto labels = dashboard().findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text() == QLatin1String("All charts are hidden.");
      });
    };
    QVERIFY(isSaid() && button("Choose which are shown") != nullptr);
    test::keepPicture(*window_, QStringLiteral("all-hidden"));
    QTest::mouseClick(button("Choose which are shown"), Qt::LeftButton);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    menu->actions().first()->trigger();
    menu->close();
    QVERIFY(card("gain") != nullptr && !isSaid());
    dashboard().setShown("gain", false);
    QTest::mouseClick(button("Show the default charts"), Qt::LeftButton);
    QVERIFY(card("gain") != nullptr && card("loss") != nullptr && !isSaid());
  }

  void columnsFollowTheWidth() {
    const auto columns = [this] {
      int found = 0;
      for (const ChartCard* each : dashboard().cards()) found += each->y() == 0 ? 1 : 0;
      return found;
    };
    QCOMPARE(columns(), 2);
    window_->resize(1920, 1080);
    QTRY_COMPARE(columns(), 3);
    QCOMPARE(dashboard().verticalScrollBar()->maximum(), 0);  // three by three
    test::keepPicture(*window_, QStringLiteral("dashboard-1920"));
    window_->resize(1440, 900);
    QTRY_COMPARE(columns(), 2);
  }

  void aChartIsPresented() {
    card("goodput")->setFocus();
    press(Qt::Key_F11);
    QPointer<Presentation> shown = window_->findChild<Presentation*>();
    QVERIFY(shown != nullptr && shown->isFullScreen());
    QVERIFY(QTest::qWaitForWindowExposed(shown.data()));
    shown->resize(1600, 900);
    QCOMPARE(shown->card()->plot()->spec().name, std::string("goodput"));
    QTRY_VERIFY(!shown->grab().isNull() && !shown->card()->plot()->painter().scene().isEmpty);
    test::keepPicture(*shown, QStringLiteral("presentation"));
    // All of it is magnified, its text too.
    QVERIFY(shown->transform().m11() > 2);
    QTest::keyClick(shown.data(), Qt::Key_Right);
    QCOMPARE(shown->card()->plot()->spec().name, std::string("progress"));
    QTest::keyClick(shown.data(), Qt::Key_Left);
    QTest::keyClick(shown.data(), Qt::Key_Left);
    QCOMPARE(shown->card()->plot()->spec().name, std::string("batch-size"));
    QTest::keyClick(shown.data(), Qt::Key_Escape);
    QTRY_VERIFY(shown.isNull());
  }

  // The legend, the order of the charts and the theme may change while one is presented.
  void aPresentationKeepsUp() {
    const auto legend = [](QWidget* of, const char* line) { return test::named<QAbstractButton>(*of, line); };
    legend(card("goodput"), "Show throughput")->click();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    card("goodput")->setFocus();
    press(Qt::Key_F11);
    QPointer<Presentation> shown = window_->findChild<Presentation*>();
    QVERIFY(shown != nullptr && QTest::qWaitForWindowExposed(shown.data()));
    shown->resize(1600, 900);
    QVERIFY(!legend(shown->card(), "Show throughput")->isChecked());
    QVERIFY(shown->card()->hidden() == card("goodput")->hidden());
    legend(shown->card(), "Show goodput")->click();
    dashboard().moveCard(card("goodput"), 1);
    QCOMPARE(shown->card()->plot()->spec().name, std::string("goodput"));
    QVERIFY(!legend(shown->card(), "Show goodput")->isChecked());
    const auto corner = [&] { return shown->viewport()->grab().toImage().pixelColor(4, 4); };
    const auto plotGround = [&] {
      const QImage image = shown->card()->plot()->grab().toImage();
      return image.pixelColor(1, image.height() - 2);
    };
    QTRY_COMPARE(plotGround(), Theme::light().panel);
    applyTheme(Theme::Mode::Dark);
    QTRY_COMPARE(corner(), Theme::dark().panel);
    QTRY_COMPARE(plotGround(), Theme::dark().panel);
    QVERIFY(shown->card()->hidden() == card("goodput")->hidden());
    applyTheme(Theme::Mode::Light);
    QTest::keyClick(shown.data(), Qt::Key_Escape);
    QTRY_VERIFY(shown.isNull());
    for (const char* line : {"Show throughput", "Show goodput"}) {
      QVERIFY(!legend(card("goodput"), line)->isChecked());
      legend(card("goodput"), line)->click();
    }
  }

  // Last: the run has more series from here on.
  void whatARunRecordsComesLive() {
    const auto paths = protocol::run_paths(window_->session()->run().id);
    {
      storage::SampleWriter writer(paths.samples);
      for (const char* name : {"perplexity", "loss_d", "loss_g", "x", "y", "z"})
        for (std::int64_t step = 700; step < 720; ++step)
          writer.append(2, name, step, 40.0 - static_cast<double>(step) / 100);
      writer.commit();
    }
    QTRY_VERIFY(card("own:perplexity") != nullptr);
    isInEveryFace("perplexity");
    QVERIFY(card("own:loss_d")->plot()->spec().draws("loss_g"));
    QVERIFY(card("own:x") != nullptr && card("own:y") != nullptr && card("own:z") == nullptr);
    QTRY_VERIFY(!card("own:perplexity")->plot()->grab().isNull() &&
                !card("own:perplexity")->plot()->painter().scene().isEmpty);
    QToolButton* more = nullptr;
    for (QToolButton* button : dashboard().findChildren<QToolButton*>())
      if (button->text().startsWith(QStringLiteral("and 1 more"))) more = button;
    QVERIFY(more != nullptr && !more->isHidden());
    QVERIFY(choose(QStringLiteral("Show or hide/z")));
    QVERIFY(card("own:z") != nullptr && more->isHidden());
    QCOMPARE(test::fault(*window_), QString());
    // A run that has no samples has none of them.
    const std::string other = test::writeListedRun(catalogue_, "no samples", protocol::RunState::failed, 0.1);
    watcher_.reload();
    window_->openRun(other);
    QCOMPARE(window_->session()->run().id, other);
    QVERIFY(card("own:perplexity") == nullptr && card("own:z") == nullptr && card("gain") != nullptr);
  }
};

BATCHSCOPE_TEST(TestDashboard)
#include "test_dashboard.moc"
