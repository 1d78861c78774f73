// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window in another language: a made-up one, which has each text in brackets and a third longer. What is
// read without brackets was not asked for from the translators; what is cut or covered had no room for longer
// words.
#include <QAbstractItemView>
#include <QAction>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTranslator>

#include "batchscope/common/lesson.h"
#include "runs/fork_dialog.h"
#include "runs/new_run_dialog.h"
#include "synthetic_sweep.h"
#include "test_case.h"
#include "visual_checks.h"
#include "window/guide.h"
#include "window/page_bar.h"
#include "window/shortcut_sheet.h"
#include "window_test.h"

namespace batchscope::desktop::test {
namespace {

class MadeUp : public QTranslator {
 public:
  QString translate(const char*, const char* text, const char*, int) const override {
    const QString source = QString::fromUtf8(text);
    static const QRegularExpression anyWord(QStringLiteral("\\p{L}{2,}"));
    if (!source.contains(anyWord)) return source;
    return QStringLiteral("[%1%2]").arg(source, QString(source.size() / 3, QLatin1Char('~')));
  }
  bool isEmpty() const override { return false; }
};

// Words of the data: a person gave them, a program or a supervisor recorded them, the engine says them of
// what is wrong, filters take them as they are. Each language has lessons of its own.
bool isData(const QString& text) {
  static const QRegularExpression data(QStringLiteral(
      "^(batchscope |checkpoint-|(▸ )?digits-|/|the program ended with|"
      "(samples/"
      "s|manual|rescale|finished|diverged|failed|batch-size|rule|adascale|linear|momentum|accuracy)$)|"
      "cannot be a name"));
  return text.contains(data);
}

// Returns whether the text has words of the interface outside of brackets.
bool isBare(const QString& text) {
  static const QRegularExpression brackets(QStringLiteral("\\[[^\\[\\]]*\\]")),
      tags(QStringLiteral("<[^>]*>")), word(QStringLiteral("\\p{L}{3,}"));
  if (isData(text)) return false;
  QString rest = text;
  while (rest.contains(brackets)) rest.remove(brackets);
  rest.remove(tags);
  return rest.contains(word);
}

}  // namespace

class TestLanguage : public WindowTest {
  Q_OBJECT

  MadeUp made_up_;
  QStringList lessons_;  // their titles

  // The first text that ends where the part of the window does that shows it, but for what can be scrolled
  // there; empty: there is none.
  static QString cutText(const QWidget& window) {
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      if (!isA(widget, {"QLabel", "QAbstractButton"}) || !widget->isVisible()) continue;
      const QString text = widget->property("text").toString();
      const int seen = widget->visibleRegion().boundingRect().width();
      const int needed = std::min(widget->width(), widget->fontMetrics().horizontalAdvance(text));
      if (seen > 0 && seen < needed)
        return QStringLiteral("%1 is seen %2 wide of %3").arg(text).arg(seen).arg(needed);
    }
    return {};
  }

  QStringList bareTexts(const QWidget& window) const {
    QStringList found;
    const auto isRecorded = [](const QWidget* widget) {
      return isA(widget, {"batchscope::desktop::EventsPanel", "batchscope::desktop::HyperparametersPanel"});
    };
    const auto look = [&](const QObject* at, const QString& text) {
      if (isBare(text) && !lessons_.contains(text))
        found << QStringLiteral("%1: %2").arg(QLatin1String(at->metaObject()->className()), text);
    };
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      for (const char* property :
           {"text", "title", "placeholderText", "toolTip", "windowTitle", "accessibleName"})
        look(widget, widget->property(property).toString());
      const auto* view = qobject_cast<const QAbstractItemView*>(widget);
      if (view && view->model() && !isRecorded(view) && !isRecorded(view->parentWidget())) {
        const QAbstractItemModel& model = *view->model();
        for (int column = 0; column < model.columnCount(); ++column) {
          look(widget, model.headerData(column, Qt::Horizontal).toString());
          for (int row = 0; row < model.rowCount(); ++row)
            look(widget, model.index(row, column).data().toString());
        }
      }
    }
    for (const QAction* action : window.findChildren<QAction*>()) look(action, action->text());
    found.removeDuplicates();
    return found;
  }

 private Q_SLOTS:
  void initTestCase() {
    const std::string run = writeSyntheticRun(catalogue_, {.stepsPerGeneration = 300});
    writeSyntheticSweep(catalogue_);
    QCoreApplication::installTranslator(&made_up_);
    showWindow();
    window_->openRun(run);
    awaitDrawn(*window_);
    for (const common::Lesson& lesson : common::bundledLessons()) lessons_ << lesson.title;
  }
  void cleanupTestCase() { QCoreApplication::removeTranslator(&made_up_); }

  void everyTextIsTranslated() {
    for (const Page page : {Page::Run, Page::Runs, Page::Compare, Page::Queue, Page::Sweep, Page::Learn}) {
      window_->showPage(page);
      QTest::qWait(100);
      keepPicture(*window_, QStringLiteral("language-%1").arg(static_cast<int>(page)));
      const QStringList bare = bareTexts(*window_);
      QVERIFY2(bare.isEmpty(), qPrintable(bare.join(QLatin1Char('\n'))));
    }
  }

  void longerTextsHaveRoom() {
    for (const Page page : {Page::Run, Page::Runs, Page::Compare, Page::Queue, Page::Sweep, Page::Learn}) {
      window_->showPage(page);
      QTest::qWait(100);
      QCOMPARE(fault(*window_), QString());
      QCOMPARE(cutText(*window_), QString());
    }
  }

  void dialogsAreTranslatedAndHaveRoom() {
    NewRunDialog newRun({.devices = 4, .gpus = {"cuda:0"}});
    storage::Run run;
    run.name = "digits-cnn";
    storage::Checkpoint checkpoint;
    checkpoint.name = "checkpoint-000003";
    ForkDialog fork(run, checkpoint, {});
    Guide guide;
    ShortcutSheet keys(window_->menuBar());
    for (QWidget* dialog : std::initializer_list<QWidget*>{&newRun, &fork, &guide, &keys}) {
      dialog->show();
      QVERIFY(QTest::qWaitForWindowExposed(dialog));
      QTest::qWait(100);
      keepPicture(*dialog,
                  QStringLiteral("language-%1").arg(QLatin1String(dialog->metaObject()->className())));
      const QStringList bare = bareTexts(*dialog);
      QVERIFY2(bare.isEmpty(), qPrintable(bare.join(QLatin1Char('\n'))));
      QCOMPARE(fault(*dialog), QString());
      if (dialog != &keys) QCOMPARE(cutText(*dialog), QString());  // they can be scrolled to
      dialog->hide();
    }
  }
};

}  // namespace batchscope::desktop::test

BATCHSCOPE_TEST(batchscope::desktop::test::TestLanguage)
#include "test_language.moc"
