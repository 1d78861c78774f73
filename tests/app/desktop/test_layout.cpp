// SPDX-License-Identifier: GPL-3.0-or-later
//
// The look that a person chooses, by mouse from the menus: light, dark and colour-blind palettes, panels
// that come and go, the default layout again; and numbers in the person's own locale.
#include <QDirIterator>
#include <QDockWidget>
#include <QRegularExpression>
#include <QTranslator>
#include <set>

#include "batchscope/common/number_text.h"
#include "chart/axis.h"
#include "control/control_panel.h"
#include "runs/run_list_panel.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window/instrument.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

// Records the texts that were asked for, by context.
class Asked : public QTranslator {
 public:
  QString translate(const char* context, const char* text, const char*, int) const override {
    texts.emplace(QString::fromUtf8(context), QString::fromUtf8(text));
    return {};
  }
  bool isEmpty() const override { return false; }

  mutable std::set<std::pair<QString, QString>> texts;
};

}  // namespace

class TestLayout : public test::WindowTest {
  Q_OBJECT

  bool choose(const QString& path) { return test::clickMenu(*window_, path); }
  bool isDocked(const char* name) const {
    const auto* dock = window_->findChild<QDockWidget*>(QLatin1String(name));
    return dock != nullptr && !dock->isHidden();
  }
  // Returns the colour of the chart's card, beside its title.
  QColor ground() const {
    return window_->dashboard()->cards()[0]->grab().toImage().pixelColor(QPoint(6, 20));
  }
  bool isDrawnIn(const QColor& ink) const {
    const QImage image = plotAt(1)->grab().toImage();
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (image.pixelColor(x, y) == ink) return true;
      }
    }
    return false;
  }

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setApplicationName(QStringLiteral("batchscope"));
    test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 300});
    showWindow({1280, 800});
    test::awaitDrawn(*window_);
  }

  void aSmallScreenIsEnough_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("points");  // of the font; 0: as it is
    for (const QSize size : {QSize(720, 900), QSize(900, 600), QSize(1280, 720), QSize(1366, 768)})
      for (const int points : {0, 12})
        QTest::addRow("%d by %d, font %d", size.width(), size.height(), points) << size << points;
  }
  void aSmallScreenIsEnough() {
    QFETCH(QSize, size);
    QFETCH(int, points);
    const QFont before = QApplication::font();
    QFont font = before;
    if (points > 0) font.setPointSize(points);
    QApplication::setFont(font);
    const auto look = [&](const char* what) {
      QTest::qWait(30);
      QCOMPARE(window_->size(), size);
      if (points == 0 && (window_->dashboard()->width() > 700 || !window_->dashboard()->isVisible()))
        QTRY_COMPARE(test::fault(*window_), QString());  // a busy machine takes its time
      const QString name = QStringLiteral("%1-%2x%3-%4")
                               .arg(QLatin1String(what))
                               .arg(size.width())
                               .arg(size.height())
                               .arg(points);
      test::keepPicture(*window_, name);
    };
    window_->resize(size);
    look("charts");
    window_->showExplorer(true);
    look("explorer");
    window_->showExplorer(false);
    window_->showPage(Page::Runs);
    look("table");
    window_->showPage(Page::Queue);
    look("queue");
    window_->showPage(Page::Run);
    window_->showPage(Page::Learn);
    look("lessons");
    window_->showPage(Page::Run);
    QApplication::setFont(before);
    window_->resize(1280, 800);
  }

  // The list, which the first run waits for elsewhere, is not beside the charts there.
  void aNarrowWindowOpensARunByItself() {
    MainWindow narrow(&watcher_, false);
    narrow.resize(720, 600);
    narrow.show();
    QVERIFY(!narrow.findChild<RunListPanel*>()->isVisible());
    QTRY_VERIFY(narrow.session()->isOpen());
    narrow.close();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }

  // Where they have no room beside the charts they are laid over these, and go again.
  void sidePanelsGiveWay() {
    auto* list = window_->findChild<RunListPanel*>();
    auto* control = window_->control();
    QVERIFY(list->isVisible() && control->isVisible());
    window_->resize(1100, 700);
    QTRY_VERIFY(!list->isVisible() && control->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(list->isVisible());
    QVERIFY(list->isAncestorOf(window_->focusWidget()));
    QTest::keyClick(window_->focusWidget(), Qt::Key_Escape);
    QVERIFY(!list->isVisible());
    window_->resize(720, 900);
    QTRY_VERIFY(!list->isVisible() && !control->isVisible());
    auto* button = test::named<QToolButton>(*window_, "Show Control");
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(control->isVisible());
    QCOMPARE(control->mapTo(window_.get(), QPoint(control->width(), 0)).x(), window_->width());
    test::keepPicture(*window_, QStringLiteral("over"));
    QTest::mouseClick(plotAt(0), Qt::LeftButton);  // elsewhere
    QVERIFY(!control->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_F, Qt::ControlModifier);  // Find shows where it finds
    QVERIFY(list->isVisible());
    window_->resize(1280, 800);
    QTRY_VERIFY(list->isVisible() && control->isVisible());
  }

  void theBottomPanelComesAndGoes() {
    const auto shown = [this] { return isDocked("events") && isDocked("log"); };
    QVERIFY(shown());
    QTest::keyClick(window_.get(), Qt::Key_J, Qt::ControlModifier);
    QVERIFY(!isDocked("events") && !isDocked("log"));
    auto* button = test::named<QToolButton>(*window_, "Show Bottom panel");
    QVERIFY(!button->isChecked());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(shown() && button->isChecked());
    // The one in front comes back in front.
    const auto* front = window_->findChild<QDockWidget*>(QStringLiteral("checkpoints"));
    raisePanel("checkpoints");
    QTRY_VERIFY(!front->visibleRegion().isEmpty());
    for (int i = 0; i < 2; ++i) QTest::keyClick(window_.get(), Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(!front->visibleRegion().isEmpty());
    raisePanel("events");
  }

  // The panel is as tall as one likes, by mouse; and the next window has it as this one was left, also away.
  void theBottomPanelIsAsTallAsOneLikes() {
    std::unique_ptr<MainWindow> window;
    const auto open = [&] {
      window = std::make_unique<MainWindow>(&watcher_, true);
      window->show();
      QVERIFY(QTest::qWaitForWindowExposed(window.get()));
      QTRY_VERIFY(window->session()->isOpen());
    };
    const auto frontDock = [&]() -> QDockWidget* {
      for (auto* dock : window->findChildren<QDockWidget*>())
        if (dock->isVisible() && !dock->visibleRegion().isEmpty()) return dock;
      return nullptr;
    };
    open();
    window->resize(1280, 800);
    QTRY_VERIFY(frontDock() != nullptr);
    auto* instrument = window->findChild<Instrument*>();
    const int before = frontDock()->height();
    for (const int by : {-150, -2000, 100}) {
      const QRect charts = instrument->centralWidget()->geometry();
      const QPoint grip(charts.center().x(), charts.bottom() + 5);  // between the charts and the tabs
      QTest::mousePress(instrument, Qt::LeftButton, {}, grip);
      QTest::mouseMove(instrument, grip + QPoint(0, by));
      QTest::qWait(50);  // it follows a timer
      QTest::mouseRelease(instrument, Qt::LeftButton, {}, grip + QPoint(0, by));
      QTest::qWait(50);
    }
    const int tall = frontDock()->height();
    QVERIFY2(tall > before + 100, qPrintable(QStringLiteral("%1, and before %2").arg(tall).arg(before)));
    test::keepPicture(*window, QStringLiteral("tall-panel"));
    window->close();
    open();
    QTRY_COMPARE(frontDock()->height(), tall);
    QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
    QVERIFY(frontDock() == nullptr);
    window->close();
    open();
    QVERIFY(frontDock() == nullptr);
    QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
    QTRY_VERIFY(frontDock() != nullptr);
    QTRY_COMPARE(frontDock()->height(), tall);
    window->close();
    window.reset();
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }

  void thePaletteIsChosen() {
    QVERIFY(choose(QStringLiteral("View/Theme/Dark")));
    QTRY_COMPARE(ground(), Theme::dark().panel);
    QTRY_VERIFY(isDrawnIn(Theme::dark().series[0]));
    QVERIFY(choose(QStringLiteral("View/Theme/Light")));
    QTRY_COMPARE(ground(), Theme::light().panel);
    const auto blind = QStringLiteral("View/Theme/Colours for the colour-blind");
    QVERIFY(choose(blind));
    QTRY_VERIFY(isDrawnIn(Theme::of(false, true).series[0]));
    QVERIFY(choose(blind));
    QTRY_VERIFY(isDrawnIn(Theme::light().series[0]));
  }

  void panelsComeAndGo() {
    const auto panels = QStringLiteral("View/Panels/");
    auto* control = window_->control();
    QVERIFY(control->isVisible());
    QVERIFY(choose(panels + QStringLiteral("Control")));
    QVERIFY(!control->isVisible());
    QVERIFY(choose(panels + QStringLiteral("Control")));
    QVERIFY(control->isVisible());
    QVERIFY(isDocked("log") && isDocked("events"));
    QVERIFY(choose(panels + QStringLiteral("Show Log")));
    QVERIFY(choose(panels + QStringLiteral("Show Events")));
    QVERIFY(!isDocked("log") && !isDocked("events"));
    QVERIFY(choose(panels + QStringLiteral("Restore the default layout")));
    QVERIFY(isDocked("log") && isDocked("events"));
    // One that floats comes home too.
    auto* log = window_->findChild<QDockWidget*>(QStringLiteral("log"));
    log->setFloating(true);
    QVERIFY(choose(panels + QStringLiteral("Restore the default layout")));
    QVERIFY(!log->isFloating());
  }

  void aZoomByMouseIsUndoneByMenu() {
    ViewState& view = *window_->view();
    view.setAxis(XAxis::Step, nullptr);
    QTest::qWait(30);
    PlotView* plot = plotAt(2);
    SeriesModel& model = *window_->session()->series();
    test::drag(plot, 0.2, 0.8);
    const auto first = view.range(model, XAxis::Step);
    QTest::qWait(20);
    test::drag(plot, 0.3, 0.6);
    QVERIFY(view.range(model, XAxis::Step).high < first.high);
    QVERIFY(choose(QStringLiteral("View/Undo zoom or pan")));
    QCOMPARE(view.range(model, XAxis::Step).high, first.high);
    QVERIFY(choose(QStringLiteral("View/Undo zoom or pan")));
    QVERIFY(!view.isZoomed());
    QVERIFY(!choose(QStringLiteral("View/Undo zoom or pan")));  // nothing is left to undo
    QVERIFY(choose(QStringLiteral("View/Redo zoom or pan")));
    QCOMPARE(view.range(model, XAxis::Step).high, first.high);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, plot->plotArea().center().toPoint());
    QVERIFY(!view.isZoomed());
  }

  // Nobody would see what a key changes without a run.
  void keysRestWithoutARun() {
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    window_->session()->open({});
    ViewState& view = *window_->view();
    const std::optional<bool> wasLog = view.logY(), followed = view.follows();
    for (const auto& [key, modifiers] : {std::pair(Qt::Key_L, Qt::NoModifier),
                                         {Qt::Key_F, Qt::NoModifier},
                                         {Qt::Key_J, Qt::ControlModifier},
                                         {Qt::Key_2, Qt::ControlModifier},
                                         {Qt::Key_Up, Qt::ControlModifier}})
      QTest::keyClick(window_.get(), key, modifiers);
    QCOMPARE(view.logY(), wasLog);
    QCOMPARE(view.follows(), followed);
    QVERIFY(isDocked("log"));
    window_->openRun({});
    test::awaitDrawn(*window_);
    QTest::keyClick(window_.get(), Qt::Key_L);
    QCOMPARE(view.logY(), !wasLog);
    QTest::keyClick(window_.get(), Qt::Key_L);
  }

  // Every text that is declared for translators is asked for where they find it.
  void textsAreTranslatedWhereTheyAreDeclared() {
    Asked asked;
    QCoreApplication::installTranslator(&asked);
    { const MainWindow another(&watcher_, false); }
    QCoreApplication::removeTranslator(&asked);
    static const QRegularExpression declared(
        QStringLiteral("QT_TRANSLATE_NOOP\\(\\s*\"([^\"]+)\",\\s*\"([^\"]+)\""));
    QDirIterator files(QStringLiteral(BATCHSCOPE_RESOURCES "/../app/desktop"), {QStringLiteral("*.cpp")},
                       QDir::Files, QDirIterator::Subdirectories);
    int found = 0;
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString source = QString::fromUtf8(file.readAll());
      for (auto match = declared.globalMatch(source); match.hasNext();) {
        const auto each = match.next();
        const QString context = each.captured(1), text = each.captured(2);
        const QString name = QStringLiteral("::") + context.section(QStringLiteral("::"), -1);
        for (const auto& [where, what] : asked.texts) {
          if (what != text || !(QStringLiteral("::") + where).endsWith(name)) continue;
          QVERIFY2(where == context, qPrintable(where + QStringLiteral(" asks for ") + text));
          ++found;
        }
      }
    }
    QVERIFY2(found > 10, qPrintable(QString::number(found)));
  }

  void numbersAreThoseOfTheLocale() {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    QCOMPARE(common::formatNumber(4731.4), QStringLiteral("4.731"));
    QCOMPARE(common::formatNumber(4.2137), QStringLiteral("4,21"));
    QCOMPARE(common::formatCount(7214), QStringLiteral("7.214"));
    QCOMPARE(common::formatPause(1.402), QStringLiteral("1,40 s"));
    QCOMPARE(linearTicks(0, 1, 4)[1].label, QStringLiteral("0,25"));
    QLocale::setDefault(before);
  }
};

BATCHSCOPE_TEST(TestLayout)
#include "test_layout.moc"
