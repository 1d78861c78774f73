// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notices in the window's corner: said, offered, taken up and closed, by mouse and by keys, without ever
// holding the window up.
#include <QAbstractButton>
#include <QLineEdit>
#include <QMainWindow>

#include "look/theme.h"
#include "look/toast.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window_test.h"

using namespace batchscope::desktop;

class TestToast : public QObject {
  Q_OBJECT

  QMainWindow window_;
  QLineEdit* field_ = new QLineEdit(&window_);
  Toasts toasts_{&window_};
  QStringList done_;

  QStringList shown() const {
    QStringList texts;
    for (const QLabel* label : toasts_.findChildren<QLabel*>(QStringLiteral("message")))
      if (label->isVisible()) texts << label->text();
    return texts;
  }
  QAbstractButton* button(const QString& text) const {
    for (QAbstractButton* each : toasts_.findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text() == text) return each;
    return nullptr;
  }
  void offerUndo(const QString& what) {
    toasts_.offer(what, QStringLiteral("&Undo"), [this, what] { done_ << what; });
  }

 private Q_SLOTS:
  void initTestCase() {
    applyTheme(Theme::Mode::Light);
    window_.setCentralWidget(field_);
    window_.resize(900, 600);
    window_.show();
    window_.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window_));
    field_->setFocus();
  }
  void init() {
    toasts_.say({});
    done_.clear();
  }
  void cleanup() {
    while (QAbstractButton* close = button(QStringLiteral("×"))) close->click();
  }

  void theNewestIsSaid() {
    toasts_.say(QStringLiteral("Starting …"));
    toasts_.say(QStringLiteral("Started."));
    QCOMPARE(shown(), QStringList{QStringLiteral("Started.")});
    toasts_.say({});
    QVERIFY(toasts_.isHidden());
  }

  void itLiesInTheCornerAndTakesNoFocus() {
    toasts_.say(QStringLiteral("Checkpoint g2-s1200 is written: step 1,200, 41 MB, in 0.3 s."));
    const QRect whole = window_.rect();
    for (const QSize size : {QSize(900, 600), QSize(320, 400), QSize(1440, 900)}) {
      window_.resize(size);
      QTRY_COMPARE(window_.size(), size);
      QVERIFY(window_.rect().contains(toasts_.geometry()));
      QVERIFY(toasts_.geometry().right() > window_.width() - 20);
      QCOMPARE(test::clippedText(window_), QString());
    }
    window_.resize(whole.size());
    QVERIFY(field_->hasFocus());
    test::keepPicture(window_, QStringLiteral("toast"));
  }

  void whatIsOfferedIsTakenByMouse() {
    offerUndo(QStringLiteral("Deleted digits-3."));
    toasts_.say(QStringLiteral("Saved."));  // stands beside it
    QCOMPARE(shown().size(), 2);
    QTest::mouseClick(button(QStringLiteral("&Undo")), Qt::LeftButton);
    QCOMPARE(done_, QStringList{QStringLiteral("Deleted digits-3.")});
    QCOMPARE(shown(), QStringList{QStringLiteral("Saved.")});
  }

  void whatIsOfferedIsTakenByKey() {
    offerUndo(QStringLiteral("Deleted digits-3."));
    QTest::keyClick(&window_, Qt::Key_U, Qt::AltModifier);
    QTRY_COMPARE(done_.size(), 1);  // the button is seen to be pressed first
    QVERIFY(toasts_.isHidden());
  }

  void escapeAndTheCrossCloseIt() {
    offerUndo(QStringLiteral("Deleted digits-3."));
    button(QStringLiteral("&Undo"))->setFocus();
    QTest::keyClick(button(QStringLiteral("&Undo")), Qt::Key_Escape);
    QVERIFY(toasts_.isHidden());
    offerUndo(QStringLiteral("Deleted digits-4."));
    QTest::mouseClick(button(QStringLiteral("×")), Qt::LeftButton);
    QVERIFY(toasts_.isHidden());
    QVERIFY(done_.isEmpty());
  }

  void theKeyIsTheNewestOnes() {
    offerUndo(QStringLiteral("one"));
    offerUndo(QStringLiteral("two"));
    QTest::keyClick(&window_, Qt::Key_U, Qt::AltModifier);
    QTRY_COMPARE(done_, QStringList{QStringLiteral("two")});
    QTest::keyClick(&window_, Qt::Key_U, Qt::AltModifier);
    QTRY_COMPARE(done_, (QStringList{QStringLiteral("two"), QStringLiteral("one")}));
  }

  void theOldestOfferGoes() {
    for (const char* each : {"one", "two", "three"}) offerUndo(QLatin1String(each));
    QCOMPARE(shown(), (QStringList{QStringLiteral("two"), QStringLiteral("three")}));
  }
};

BATCHSCOPE_TEST(TestToast)
#include "test_toast.moc"
