// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pages of the window: along its top each is one press away, Escape goes back, and what belongs to a run
// says so on a page that shows none.
#include <QLabel>

#include "runs/header_bar.h"
#include "session/comparison.h"
#include "test_case.h"
#include "window/page_bar.h"
#include "window_test.h"

namespace batchscope::desktop::test {

class TestPages : public WindowTest {
  Q_OBJECT

  PageBar* bar() const { return window_->findChild<PageBar*>(); }
  void press(Page page) {
    QTest::mouseClick(bar(), Qt::LeftButton, {}, bar()->tabRect(static_cast<int>(page)).center());
  }
  void escape() { QTest::keyClick(window_.get(), Qt::Key_Escape); }
  QString inFront() const { return bar()->tabText(bar()->currentIndex()); }

  std::string run_;  // the one with charts

 private Q_SLOTS:
  void withoutAnyRunTheKeysSaySo() {
    showWindow();
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY2(notice(*window_).contains("there is none yet"), qPrintable(notice(*window_)));
    run_ = writeSyntheticRun(catalogue_);
    writeListedRun(catalogue_, "other", protocol::RunState::finished, 0.9);
  }

  void eachPageIsAPressAway() {
    showWindow();
    QTRY_VERIFY(window_->session()->isOpen());
    QStringList titles;
    for (int tab = 0; tab < bar()->count(); ++tab) titles << bar()->tabText(tab);
    QCOMPARE(titles, (QStringList{"Run", "Runs", "Compare", "Queue", "Sweep", "Learn"}));
    for (const Page page : {Page::Runs, Page::Sweep, Page::Queue, Page::Learn, Page::Run}) {
      press(page);
      QCOMPARE(window_->page(), page);
      QCOMPARE(bar()->currentIndex(), static_cast<int>(page));
      QCOMPARE(window_->dashboard()->isVisible(), showsRun(page));
    }
    // The keys lead there, too, and the same key leads back.
    QTest::keyClick(window_.get(), Qt::Key_Q);
    QCOMPARE(inFront(), QString("Queue"));
    QTest::keyClick(window_.get(), Qt::Key_T);
    QCOMPARE(inFront(), QString("Runs"));
    QTest::keyClick(window_.get(), Qt::Key_T);
    QCOMPARE(inFront(), QString("Queue"));
  }

  void escapeGoesBack() {
    showWindow();
    window_->openRun(run_);
    press(Page::Queue);
    press(Page::Sweep);
    press(Page::Learn);
    for (const char* before : {"Sweep", "Queue", "Run", "Run"}) {
      escape();
      QCOMPARE(inFront(), QString(before));
    }
    // Esc first closes what lies over the charts.
    press(Page::Queue);
    press(Page::Run);
    QTRY_VERIFY(window_->session()->series() != nullptr &&
                !window_->session()->series()->generations().empty());
    window_->view()->setCursor(window_->session()->series()->nearest(XAxis::Step, 100));
    QVERIFY(window_->view()->cursor());
    escape();
    QVERIFY(!window_->view()->cursor());
    QCOMPARE(inFront(), QString("Run"));
    escape();
    QCOMPARE(inFront(), QString("Queue"));
  }

  void whatBelongsToARunSaysSoWhereThereIsNone() {
    showWindow();
    QTRY_VERIFY(window_->session()->isOpen());
    for (const auto& [key, what] : {std::pair(Qt::Key_W, "Why it scaled"), {Qt::Key_G, "Goodput explorer"}}) {
      press(Page::Queue);
      QTest::keyClick(window_.get(), key);
      QVERIFY2(notice(*window_).contains(what), qPrintable(notice(*window_)));
      QVERIFY(notice(*window_).contains("Esc goes back"));
      QCOMPARE(inFront(), QString("Queue"));
    }
    press(Page::Run);
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY(window_->findChild<HeaderBar*>()->explorerAction()->isChecked());
  }

  void toCompareTakesTwo() {
    showWindow();
    QTRY_VERIFY(window_->session()->isOpen());
    press(Page::Compare);
    QCOMPARE(inFront(), QString("Runs"));
    QVERIFY2(notice(*window_).contains("two or more runs"), qPrintable(notice(*window_)));
    for (const storage::Run& run : watcher_.runs()) window_->comparison()->choose(run.id, true);
    press(Page::Compare);
    QCOMPARE(inFront(), QString("Compare"));
    QTRY_VERIFY(window_->findChild<QDockWidget*>("comparison")->isVisible());
    for (const storage::Run& run : watcher_.runs()) window_->comparison()->choose(run.id, false);
    QCOMPARE(inFront(), QString("Run"));
  }
};

}  // namespace batchscope::desktop::test

BATCHSCOPE_TEST(batchscope::desktop::test::TestPages)
#include "test_pages.moc"
