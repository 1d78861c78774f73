// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lessons: what the parser takes and refuses, every bundled lesson with each of its directives in the real
// window on the recorded runs, one lesson by mouse from the menu to the end, and one by keyboard.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QSlider>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/run/recipe.h"
#include "control/control_panel.h"
#include "control/replica_buttons.h"
#include "explorer/explorer_panel.h"
#include "lessons/lesson.h"
#include "lessons/lesson_model.h"
#include "lessons/lesson_numbers.h"
#include "lessons/lesson_panel.h"
#include "lessons/lesson_stage.h"
#include "lessons/sharing_panel.h"
#include "scaling/scaling_page.h"
#include "session/launcher.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;

namespace {

const QString kHead = QStringLiteral("# Title\n\nWhat it is about.\n\n## Page\n");

QString refusal(const QString& source) {
  try {
    parseLesson(QStringLiteral("mine"), source);
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

}  // namespace

class TestLessons : public test::WindowTest {
  Q_OBJECT

  LessonPanel& panel() const { return *window_->lessons(); }
  QString shownRun() const {
    return window_->session()->isOpen() ? QString::fromStdString(window_->session()->run().name) : QString();
  }

  QString said() const { return QTextDocumentFragment::fromHtml(panel().text()->text()).toPlainText(); }

  // The page with its run open and its numbers in the text.
  void awaitPage() { QTRY_VERIFY_WITH_TIMEOUT(!panel().text()->text().isEmpty(), 120'000); }

  // The directive holds now.
  void check(const OpenRecorded& open) {
    const auto& tags = window_->session()->run().tags;
    QVERIFY2(std::count(tags.begin(), tags.end(), recordedRunTag(open.run).toStdString()) == 1,
             qPrintable(open.run));
  }
  void check(const ShowInstrument& show) {
    QCOMPARE(window_->explorer()->isVisible(), show.page == ShowInstrument::Page::Explorer);
    QCOMPARE(window_->scaling()->isVisible(), show.page == ShowInstrument::Page::Why);
  }
  void check(const SetAxis& set) { QCOMPARE(window_->view()->axis(), axisOf(set)); }
  void check(const SetZoom& set) {
    QCOMPARE(window_->view()->isZoomed(), set.range.has_value());
    if (!set.range) return;
    const auto range = window_->view()->range(*window_->session()->series(), window_->view()->axis());
    QVERIFY(range.low >= set.range->first - 1 && range.high <= set.range->second + 1);
  }
  void check(const SetCursor& set) {
    QCOMPARE(window_->view()->cursor().has_value(), set.step.has_value());
    if (set.step) QVERIFY(std::abs(window_->view()->cursor()->step - *set.step) <= 12);
  }
  void check(const SetSmoothing& set) { QCOMPARE(window_->view()->smoothing(), set.smoothing); }
  void check(const SetLog& set) {
    QCOMPARE(set.isX ? window_->view()->logX() : window_->view()->logY(), set.isOn);
  }
  void check(const Highlight& highlight) {
    int lit = 0;
    for (const QWidget* widget : window_->findChildren<QWidget*>()) {
      if (!widget->property("highlighted").toBool()) continue;
      ++lit;
      QVERIFY2(widget->isVisible(), qPrintable(highlight.what));  // on the page that the lesson shows
      QTRY_VERIFY2(!widget->visibleRegion().isEmpty(), qPrintable(highlight.what));  // not scrolled away
    }
    QVERIFY2(lit == 1, qPrintable(highlight.what));
  }
  void check(const ChooseReplicas& choose) {
    QCOMPARE(window_->control()->replicas()->chosen(), choose.replicas);
    QCOMPARE(window_->explorer()->slider()->value(), choose.replicas);
    QVERIFY(window_->explorer()->slider()->isEnabled());
  }
  void check(const ShareDevices& share) {
    const SharingPanel& sharing = *window_->sharing();
    QVERIFY(sharing.isVisible());
    QCOMPARE(sharing.sharing()->devices(), share.devices);
    QVERIFY(sharing.sharing()->goodput(0, 1) > 0 && sharing.sharing()->goodput(1, 0) > 0);
  }
  void check(const RaisePanel& raise) { QVERIFY(window_->findChild<QWidget*>(raise.name)->isVisible()); }

 private Q_SLOTS:
  void initTestCase() { showWindow({1280, 800}); }

  void aLessonIsRead() {
    const Lesson lesson = parseLesson(
        QStringLiteral("mine"),
        QStringLiteral("<!-- SPDX-License-Identifier: MIT -->\n# Title\n\nWhat it\nis about.\n\n## One\n"
                       "<!-- open gain -->\n<!-- axis progress -->\n<!-- zoom 1 20.5 -->\n\nText *here*.\n\n"
                       "## Two\n<!-- launch digits replicas=3 epochs=2 lr=0.1 -->\nA question?\n\n"
                       "- [ ] No\n  Because.\n- [x] Yes\n  It is\n  so.\n"));
    QCOMPARE(lesson.title, QStringLiteral("Title"));
    QCOMPARE(lesson.summary, QStringLiteral("What it is about."));
    QCOMPARE(lesson.pages.size(), 2u);
    const LessonPage& one = lesson.pages[0];
    QCOMPARE(one.title, QStringLiteral("One"));
    QCOMPARE(one.text, QStringLiteral("Text *here*."));
    QCOMPARE(one.directives.size(), 3u);
    QCOMPARE(std::get<OpenRecorded>(one.directives[0]).run, QStringLiteral("gain"));
    QCOMPARE(std::get<SetAxis>(one.directives[1]).axis, QStringLiteral("progress"));
    QCOMPARE(std::get<SetZoom>(one.directives[2]).range->second, 20.5);
    const LessonPage& two = lesson.pages[1];
    QCOMPARE(two.text, QStringLiteral("A question?"));
    QCOMPARE(two.choices.size(), 2u);
    QVERIFY(!two.choices[0].isRight && two.choices[1].isRight);
    QCOMPARE(two.choices[1].reply, QStringLiteral("It is so."));
    QCOMPARE(launchCommand(*two.launch),
             QStringLiteral("batchscope run --recipe digits --replicas 3 --set epochs=2 --set lr=0.1"));
  }

  void whatIsWrongIsNamed_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("complaint");
    const auto add = [](const char* name, const QString& source, const char* complaint) {
      QTest::newRow(name) << source << QString::fromLatin1(complaint);
    };
    const auto refuse = [&](const char* name, const char* directive, const char* complaint) {
      add(name, kHead + QStringLiteral("<!-- %1 -->\nText.").arg(directive), complaint);
    };
    refuse("unknown directive", "dance",
           "lesson mine, line 6: unknown directive \"dance\"; there are axis, ");
    refuse("missing run", "open moon", "line 6: there is no recorded run \"moon\"");
    refuse("unknown page", "show map", "\"map\" is not one of charts, explorer, why");
    refuse("unknown axis", "axis north", "\"north\" is not one of step, ");
    refuse("no number", "zoom 1 far", "\"far\" is not a number");
    refuse("backward zoom", "zoom 3 1", "ends before it begins");
    refuse("half a step", "cursor 1.5", "not a whole number above zero");
    refuse("smoothing", "smoothing 1", "from 0 to below 1");
    refuse("log", "log z on", "\"z\" is not one of y, x");
    refuse("panel", "panel solar", "not one of events, log");
    refuse("too many words", "show charts explorer", "one word");
    refuse("share one", "share gain", "share FIRST SECOND DEVICES");
    refuse("share what is not there", "share gain moon 8", "there is no recorded run \"moon\"");
    refuse("share an odd number", "share gain linear 7", "not an even number up to 64");
    refuse("launch nothing", "launch", "launch RECIPE");
    refuse("launch twice", "launch a -->\n<!-- launch b", "one recipe");
    refuse("setting", "launch digits fast", "NAME=VALUE");
    add("no text", kHead, "page \"Page\" says nothing");
    add("no page", QStringLiteral("# Title\n\nAbout."), "it has no page");
    add("no title", QStringLiteral("About.\n\n## Page\nText."), "it has no title");
    add("no summary", QStringLiteral("# Title\n\n## Page\nText."), "what it is about");
    add("outside a page", QStringLiteral("# T\n\nAbout.\n<!-- open gain -->\n## P\nText."), "below a page's");
    add("no right choice", kHead + QStringLiteral("Text.\n\n- [ ] A\n  No.\n"),
        "exactly one choice is right");
    add("no reply", kHead + QStringLiteral("Text.\n\n- [x] A\n"), "indented below it");
  }

  void whatIsWrongIsNamed() {
    QFETCH(QString, source);
    QFETCH(QString, complaint);
    const QString said = refusal(source);
    QVERIFY2(said.contains(complaint), qPrintable(said));
  }

  void theListIsAModel() {
    LessonModel model(bundledLessons());
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(model.rowCount() >= 9);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.markDone(2);
    QCOMPARE(changed.count(), 1);
    QVERIFY(model.index(2).data(LessonModel::DoneRole).toBool());
    QVERIFY(model.index(2).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("done")));
    QCOMPARE(model.done(), QStringList{model.lesson(2).name});
    model.setDone({QStringLiteral("of no lesson")});
    QVERIFY(!model.index(2).data(LessonModel::DoneRole).toBool());
  }

  // Before its run is there, which is still taken in once.
  void aPageIsTurnedQuickly() {
    window_->showPage(Page::Learn);
    panel().start(0);
    panel().turn(1);
    panel().turn(1);
    panel().turn(-1);
    awaitPage();
    QCOMPARE(shownRun(), QStringLiteral("linear regression"));
    QVERIFY(window_->view()->isZoomed());
    QTest::qWait(300);  // a second import would have come by now, or soon
    const auto& runs = watcher_.recorded();
    QCOMPARE(std::count_if(runs.begin(), runs.end(),
                           [](const auto& run) { return run.name == "linear regression"; }),
             std::ptrdiff_t{1});
    window_->showPage(Page::Run);
  }

  void everyLessonRuns_data() {
    QTest::addColumn<int>("row");
    const auto lessons = bundledLessons();
    for (std::size_t i = 0; i < lessons.size(); ++i)
      QTest::addRow("%s", qPrintable(lessons[i].name)) << int(i);
  }

  // Each page with all its directives; the last of a kind wins.
  void everyLessonRuns() {
    QFETCH(int, row);
    window_->showPage(Page::Learn);
    panel().start(row);
    bool launches = false, asks = false;
    for (std::size_t i = 0; i < panel().model()->lesson(row).pages.size(); ++i) {
      const LessonPage& page = *panel().page();
      QCOMPARE(&page, &panel().model()->lesson(row).pages[i]);
      awaitPage();
      QTest::qWait(20);
      QVERIFY(std::holds_alternative<OpenRecorded>(
          page.directives.at(0)));  // a page can be come to from both sides
      for (const Directive& directive : page.directives)
        std::visit([this](const auto& done) { check(done); }, directive);
      QVERIFY2(!said().contains(QLatin1Char('{')), qPrintable(said()));
      QCOMPARE(window_->width(), 1280);  // there is room for a lesson beside everything
      QTRY_COMPARE(test::fault(*window_), QString());
      for (const QPushButton* button : panel().choices()) {
        QVERIFY2(button->mapTo(&panel(), QPoint(button->width(), 0)).x() <= panel().width() - 12,
                 qPrintable(button->text()));
        QVERIFY2(button->sizeHint().width() <= button->width(), qPrintable(button->text()));
      }
      asks = asks || !page.choices.empty();
      if (page.launch) {
        launches = true;
        const auto recipe =
            run::Recipe::load(std::string(BATCHSCOPE_EXAMPLES) + "/" + page.launch->recipe + "/recipe.toml");
        for (const auto& [name, value] : page.launch->values) {
          const auto known = std::find_if(recipe.parameters.begin(), recipe.parameters.end(),
                                          [&, name = name](const auto& p) { return p.name == name; });
          QVERIFY2(known != recipe.parameters.end(), name.c_str());
          QCOMPARE(known->complaint(value), std::string());
        }
      }
      for (QPushButton* button : panel().choices()) {
        button->click();
        QVERIFY2(!panel().reply()->text().contains(QLatin1Char('{')), qPrintable(panel().reply()->text()));
        QTRY_COMPARE(test::fault(panel()), QString());
      }
      for (const auto& [name, card] : window_->scaling()->namedCards())
        QTRY_VERIFY2(!card->isVisible() || card->height() <= 320, qPrintable(name));
      test::keepPicture(*window_, QStringLiteral("lesson-%1-%2").arg(row).arg(i));
      panel().turn(1);
    }
    QVERIFY(launches && asks);
    QCOMPARE(panel().page(), nullptr);
    QVERIFY(panel().model()->index(row).data(LessonModel::DoneRole).toBool());
    // A recorded run is taken in once.
    std::multiset<std::string> tags;
    for (const storage::Run& run : watcher_.recorded()) tags.insert(run.tags.begin(), run.tags.end());
    for (const std::string& tag : tags) QCOMPARE(tags.count(tag), 1u);
    window_->showPage(Page::Run);
  }

  // Half of a small screen has room for the text and for what it points at.
  void whatALessonPointsAtIsSeenInANarrowWindow() {
    window_->resize(720, 600);
    window_->showPage(Page::Learn);
    for (int row = 0; row < panel().model()->rowCount(); ++row) {
      panel().start(row);
      while (panel().page() != nullptr) {
        awaitPage();
        QTest::qWait(20);
        QCOMPARE(window_->width(), 720);
        QCOMPARE(panel().visibleRegion().boundingRect().size(), panel().size());
        for (const Directive& directive : panel().page()->directives)
          if (const auto* highlight = std::get_if<Highlight>(&directive)) check(*highlight);
        QTRY_COMPARE(test::fault(panel()), QString());
        for (const auto& [name, card] : window_->scaling()->namedCards())
          QTRY_VERIFY2(!card->isVisible() || card->height() <= 320, qPrintable(name));  // wide or narrow
        panel().turn(1);
      }
    }
    window_->showPage(Page::Run);
    window_->resize(1280, 800);
  }

  void aLessonThatPointsNowhereSaysWhatThereIs() {
    LessonPanel own(
        {parseLesson(QStringLiteral("mine"),
                     kHead + QStringLiteral("<!-- show why -->\n<!-- highlight moon -->\nText."))});
    Launcher launcher(protocol::catalogue_path());
    const QAction page;
    const LessonStage stage({.watcher = &watcher_,
                             .session = window_->session(),
                             .view = window_->view(),
                             .launcher = &launcher,
                             .sharing = window_->sharing(),
                             .explorer = &page,
                             .why = &page,
                             .chartWith = [](const std::string&) -> QWidget* { return nullptr; },
                             .cards = window_->scaling()->namedCards()},
                            &own);
    QSignalSpy said(&stage, &LessonStage::said);
    QSignalSpy shown(&stage, &LessonStage::instrumentRequested);
    own.start(0);
    QCOMPARE(shown.count(), 1);
    QCOMPARE(said.count(), 1);
    const QString complaint = said[0][0].toString();
    QVERIFY2(
        complaint.contains(QStringLiteral("moon")) && complaint.contains(QStringLiteral("batch-choice, ")),
        qPrintable(complaint));
  }

  void aLessonIsTakenByMouse() {
    const QString title = panel().model()->lesson(0).title;
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Learn/") + title));
    QTRY_VERIFY(panel().isVisible());
    awaitPage();
    QCOMPARE(shownRun(), QStringLiteral("linear regression"));
    QVERIFY(!panel().backButton()->isEnabled());

    const auto press = [](QWidget* widget) { QTest::mouseClick(widget, Qt::LeftButton); };
    press(panel().nextButton());
    awaitPage();
    QVERIFY(window_->view()->isZoomed());
    // The number in the text is the one of the store.
    const auto gain = *window_->session()->series()->value("gain", {0, 20});
    QVERIFY(said().contains(QString::number(gain, 'g', 3)));
    QCOMPARE(panel().choices().size(), 3u);
    QVERIFY(!panel().reply()->isVisible());
    press(panel().choices()[0]);
    QVERIFY(panel().reply()->isVisible());
    QVERIFY(panel().reply()->text().startsWith(QStringLiteral("Not quite.")));
    press(panel().choices()[1]);
    QVERIFY(panel().reply()->text().startsWith(QStringLiteral("Right.")));
    press(panel().nextButton());
    QVERIFY(!panel().reply()->isVisible());
    press(panel().backButton());
    QCOMPARE(panel().choices().size(), 3u);
    while (!panel().launchButton()->isVisible()) press(panel().nextButton());
    disconnect(&panel(), &LessonPanel::launchRequested, nullptr, nullptr);  // nothing trains here
    QSignalSpy launched(&panel(), &LessonPanel::launchRequested);
    press(panel().launchButton());
    QCOMPARE(launched.count(), 1);
    const auto asked = launched[0][0].value<Launch>();
    QCOMPARE(asked.recipe, std::string("linear_regression"));
    QCOMPARE(asked.values.at("micro-batches"), std::string("16"));
    QCOMPARE(panel().nextButton()->text(), QStringLiteral("Finish"));
    press(panel().nextButton());
    QCOMPARE(panel().page(), nullptr);
    for (QToolButton* button : panel().findChildren<QToolButton*>()) {
      if (button->text() == QStringLiteral("Back to the runs")) press(button);
    }
    QVERIFY(!panel().isVisible());
  }

  void aLessonIsTakenByKeyboard() {
    window_->activateWindow();  // a menu has been in front of it
    window_->setFocus();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    const auto press = [this](int key, Qt::KeyboardModifiers modifiers = {}) {
      QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : window_.get(),
                      static_cast<Qt::Key>(key), modifiers);
    };
    press(Qt::Key_L, Qt::ControlModifier);
    QVERIFY(panel().isVisible() && panel().list()->hasFocus());
    press(Qt::Key_Home);
    press(Qt::Key_Down);
    press(Qt::Key_Return);
    QVERIFY(panel().page() != nullptr);
    awaitPage();
    QCOMPARE(shownRun(), QStringLiteral("digits, linear scaling"));
    press(Qt::Key_Space);  // on Next
    awaitPage();
    QCOMPARE(shownRun(), QStringLiteral("digits, AdaScale"));
    QTRY_VERIFY_WITH_TIMEOUT(panel().choices()[0]->isVisible(), 30'000);
    for (int i = 0; i < 10 && QApplication::focusWidget() != panel().choices()[0]; ++i)
      press(Qt::Key_Backtab, Qt::ShiftModifier);
    QVERIFY(panel().choices()[0]->hasFocus());
    press(Qt::Key_Space);
    QVERIFY(panel().reply()->text().startsWith(QStringLiteral("Right.")));
    press(Qt::Key_Left, Qt::AltModifier);
    awaitPage();
    QCOMPARE(shownRun(), QStringLiteral("digits, linear scaling"));
    press(Qt::Key_Right, Qt::AltModifier);
    awaitPage();
    QCOMPARE(shownRun(), QStringLiteral("digits, AdaScale"));
    press(Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!panel().isVisible());
    for (const QWidget* widget : window_->findChildren<QWidget*>())
      QVERIFY(!widget->property("highlighted").toBool());
  }

  // Lessons' runs are nobody's own: no list has them, and nothing of a lesson is left when it is closed.
  void allIsAsBeforeBehindALesson() {
    QVERIFY(watcher_.runs().empty() && !watcher_.recorded().empty());
    QCOMPARE(window_->findChild<QListView*>(QStringLiteral("runList"))->model()->rowCount(), 0);
    QVERIFY(!window_->session()->isOpen());  // none was before

    const std::string own = test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 200});
    watcher_.reload();
    window_->openRun(own);
    ViewState& view = *window_->view();
    SeriesModel* series = window_->session()->series();
    view.setAxis(XAxis::Samples, series);
    view.setLogY(true);
    view.setSmoothing(0.9);
    const auto whole = view.range(*series, view.axis());
    view.zoomTo(*series, view.axis(), {whole.low, whole.high / 3});
    const auto zoomed = view.range(*series, view.axis());
    const bool didFollow = view.follows();

    for (const bool closesAtTheEnd : {false, true}) {
      window_->showScaling(closesAtTheEnd);
      window_->showPage(Page::Learn);
      for (const int row : {0, 1, 7}) {
        panel().start(row);
        awaitPage();
        QVERIFY(storage::is_lesson(window_->session()->run()));
        panel().turn(1);
        awaitPage();
      }
      if (closesAtTheEnd)
        while (panel().page() != nullptr) panel().turn(1);
      window_->showPage(Page::Run);
      QCOMPARE(window_->session()->run().id, own);
      series = window_->session()->series();
      QCOMPARE(view.axis(), XAxis::Samples);
      QVERIFY(view.logY() == true && !view.logX());
      QCOMPARE(view.smoothing(), 0.9);
      QCOMPARE(view.follows(), didFollow);
      QVERIFY(view.isZoomed() && view.canUndo());
      QCOMPARE(view.range(*series, view.axis()).high, zoomed.high);
      QVERIFY(!view.cursor() && !window_->explorer()->isVisible());
      QCOMPARE(window_->scaling()->isVisible(), closesAtTheEnd);
      QCOMPARE(window_->findChild<QListView*>(QStringLiteral("runList"))->model()->rowCount(), 1);
    }
  }

  void aNumberThatIsNotThereIsRefused() {
    RunSession& session = *window_->session();
    const auto& recorded = watcher_.recorded();
    session.open(std::ranges::find(recorded, "digits, AdaScale", &storage::Run::name)->id);
    QVERIFY(session.isOpen());
    const auto refused = [&](const QString& text) {
      try {
        withNumbers(text, session);
      } catch (const Error& error) {
        return QString::fromUtf8(error.what());
      }
      return QString();
    };
    QVERIFY(refused(QStringLiteral("a {spin@3} b")).contains(QStringLiteral("{spin@3}")));
    QVERIFY(refused(QStringLiteral("{gain@999999}")).contains(QStringLiteral("has none")));
    QVERIFY(refused(QStringLiteral("{pause@7}")).contains(QStringLiteral("has none")));
    QVERIFY(refused(QStringLiteral("{gain}")).contains(QStringLiteral("not of the form")));
    QCOMPARE(withNumbers(QStringLiteral("no number"), session), QStringLiteral("no number"));
    QCOMPARE(withNumbers(QStringLiteral("{scale@1}, {scale@1..40}"), session), QStringLiteral("32, 32"));
  }
};

BATCHSCOPE_TEST(TestLessons)
#include "test_lessons.moc"
