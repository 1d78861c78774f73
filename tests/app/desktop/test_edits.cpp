// SPDX-License-Identifier: GPL-3.0-or-later
//
// Edits of runs, and deleting them, from the list, the table and the menus, by mouse and by keys; and that
// all of it can be undone, in its order, and done again.
#include <QInputDialog>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTreeWidget>
#include <QUndoStack>

#include "look/toast.h"
#include "runs/run_edits.h"
#include "runs/run_list_panel.h"
#include "runs/run_model.h"
#include "runs/run_table_page.h"
#include "runs/trash_dialog.h"
#include "test_case.h"
#include "thrown.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::RunState;

class TestEdits : public test::WindowTest {
  Q_OBJECT

  std::string a_, b_, c_;

  RunEdits& edits() const { return *window_->findChild<RunEdits*>(); }
  QListView* list() const {
    return window_->findChild<RunListPanel*>()->findChild<QListView*>(QStringLiteral("runList"));
  }
  QTableView* table() const { return window_->findChild<QTableView*>(QStringLiteral("runTable")); }
  QStringList names() const {
    QStringList names;
    for (const storage::Run& run : watcher_.runs()) names << QString::fromStdString(run.name);
    names.sort();
    return names;
  }
  storage::Run run(const std::string& id) { return catalogue_.run(id).value(); }
  QString shown() const {
    return window_->session()->isOpen() ? QString::fromStdString(window_->session()->run().name) : QString();
  }
  // Returns the row of a view with this name.
  static QModelIndex rowOf(const QAbstractItemView* view, const QString& name) {
    return view->model()
        ->match(view->model()->index(0, 0), Qt::DisplayRole, name, 1, Qt::MatchExactly)
        .value(0);
  }
  static void click(QAbstractItemView* view, const QString& name, Qt::KeyboardModifiers modifiers = {}) {
    const QRect row = view->visualRect(rowOf(view, name));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, modifiers, {row.center().x(), row.bottom() - 10});
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) const {
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : window_.get(), static_cast<Qt::Key>(key), modifiers);
  }
  void undo() const { press(Qt::Key_Z, Qt::ControlModifier); }
  void redo() const { press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); }
  QAction* entry(const QString& menu, const QString& beginning) const {
    for (QAction* top : window_->menuBar()->actions()) {
      if (top->text().remove(QLatin1Char('&')) != menu) continue;
      for (QAction* action : top->menu()->actions())
        if (action->text().startsWith(beginning)) return action;
    }
    return nullptr;
  }
  // Answers the next question with this text.
  static void answer(const QString& text) {
    QTimer::singleShot(0, qApp, [text] {
      auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr) return answer(text);
      if (dialog->options().testFlag(QInputDialog::UsePlainTextEditForTextInput))
        dialog->setTextValue(text);
      else
        for (auto* field : dialog->findChildren<QLineEdit*>()) field->setText(text);
      dialog->accept();
    });
  }

 private Q_SLOTS:
  void init() {
    window_.reset();
    for (const auto& runs : {catalogue_.runs(), catalogue_.trash()})
      for (const storage::Run& run : runs) catalogue_.remove_run(run.id);
    a_ = test::writeListedRun(catalogue_, "a", RunState::finished, 0.5);
    b_ = test::writeListedRun(catalogue_, "b", RunState::failed, 0.6);
    c_ = test::writeListedRun(catalogue_, "c", RunState::finished, 0.7);
    showWindow({1280, 720});
    QTRY_VERIFY(window_->session()->isOpen());
  }

  void theOpenRunIsDeletedByKeyAndComesBack() {
    click(list(), QStringLiteral("b"));
    QCOMPARE(shown(), QStringLiteral("b"));
    press(Qt::Key_Delete);
    QTRY_COMPARE(names(), QStringList({"a", "c"}));
    QVERIFY(run(b_).removed > 0);
    QVERIFY(!shown().isEmpty() && shown() != QStringLiteral("b"));  // its neighbour
    QVERIFY(entry("Edit", "Undo")->text().contains(QStringLiteral("deletion of b")));
    undo();
    QTRY_COMPARE(names(), QStringList({"a", "b", "c"}));
    QCOMPARE(shown(), QStringLiteral("b"));
    redo();
    QTRY_COMPARE(names(), QStringList({"a", "c"}));
  }

  void theNoticeBringsItBack() {
    click(list(), QStringLiteral("a"));
    press(Qt::Key_Delete);
    QTRY_COMPARE(names(), QStringList({"b", "c"}));
    edits().set(QString::fromStdString(b_), QStringLiteral("note"), QStringLiteral("later"));
    QAbstractButton* button = nullptr;
    for (auto* each : window_->findChild<Toasts*>()->findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text().contains(QStringLiteral("Undo"))) button = each;
    QVERIFY(button != nullptr);
    test::keepPicture(*window_, QStringLiteral("deleted"));
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(names(), QStringList({"a", "b", "c"}));
    QCOMPARE(run(b_).note, std::string("later"));  // what was done since stays
    undo();
    QTRY_COMPARE(names(), QStringList({"b", "c"}));
  }

  // Taken back by key meanwhile, and something else done in its place: the notice has nothing left to do.
  void aNoticeUndoesNothingButItsOwn() {
    click(list(), QStringLiteral("a"));
    press(Qt::Key_Delete);
    QTRY_COMPARE(names(), QStringList({"b", "c"}));
    undo();
    QTRY_COMPARE(names(), QStringList({"a", "b", "c"}));
    edits().set(QString::fromStdString(b_), QStringLiteral("name"), QStringLiteral("better"));
    QTRY_COMPARE(names(), QStringList({"a", "better", "c"}));
    for (auto* each : window_->findChild<Toasts*>()->findChildren<QAbstractButton*>())
      if (each->isVisible() && each->text().contains(QStringLiteral("Undo"))) each->click();
    QCOMPARE(names(), QStringList({"a", "better", "c"}));
    undo();
    QTRY_COMPARE(names(), QStringList({"a", "b", "c"}));
  }

  void theMenuKeyOpensTheMenuOfTheRow() {
    window_->showPage(Page::Runs);
    click(table(), QStringLiteral("b"));
    bool isOpened = false;
    QTimer::singleShot(0, qApp, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      isOpened = menu != nullptr;
      if (isOpened) menu->close();
    });
    QContextMenuEvent key(QContextMenuEvent::Keyboard, {5, 900}, {5, 900});
    QApplication::sendEvent(table(), &key);
    QVERIFY(isOpened);
  }

  void severalGoAtOnce() {
    window_->showPage(Page::Runs);
    click(table(), QStringLiteral("a"));
    click(table(), QStringLiteral("c"), Qt::ControlModifier);
    press(Qt::Key_Delete);
    QTRY_COMPARE(names(), QStringList({"b"}));
    QCOMPARE(catalogue_.trash().size(), 2u);
    undo();
    QTRY_COMPARE(names(), QStringList({"a", "b", "c"}));
    window_->showPage(Page::Run);
    click(list(), QStringLiteral("a"));
    click(list(), QStringLiteral("c"), Qt::ShiftModifier);
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Edit/") + entry("Edit", "Delete")->text()));
    QTRY_VERIFY(names().size() < 3);
    undo();
    QTRY_COMPARE(names(), QStringList({"a", "b", "c"}));
  }

  void theLastOneLeavesTheInvitation() {
    window_->showPage(Page::Runs);
    table()->selectAll();
    press(Qt::Key_Delete);
    QTRY_VERIFY(names().isEmpty());
    QVERIFY(!window_->session()->isOpen());
    QVERIFY(!entry("Edit", "Delete")->isEnabled());
    undo();
    QTRY_COMPARE(names().size(), 3);
  }

  void whatGoesOnStays() {
    catalogue_.set_state(a_, RunState::running);
    QVERIFY(catalogue_.claim_supervisor(a_));
    const std::string waits = catalogue_.submit_run(run(c_).spec, {});
    watcher_.reload();
    QSignalSpy failed(&edits(), &RunEdits::failed);
    edits().remove({QString::fromStdString(a_), QString::fromStdString(b_), QString::fromStdString(waits)});
    QCOMPARE(run(b_).removed > 0, true);
    QCOMPARE(run(a_).removed, 0.0);
    QCOMPARE(run(waits).removed, 0.0);
    QCOMPARE(failed.size(), 2);
    VERIFY_HOLDS(failed[0][0].toString(), "active: a", "Stop it first");
    VERIFY_HOLDS(failed[1][0].toString(), "queue: c", "Cancel it");
    catalogue_.release_supervisor(a_);
  }

  // The window has not heard yet: the store refuses, and there is nothing to undo.
  void whatHasJustBegunStaysToo() {
    QVERIFY(catalogue_.claim_supervisor(a_));
    QSignalSpy failed(&edits(), &RunEdits::failed);
    edits().remove({QString::fromStdString(a_), QString::fromStdString(b_)});
    QCOMPARE(failed.size(), 1);
    QCOMPARE(run(b_).removed, 0.0);
    QVERIFY(!edits().stack()->canUndo());
    catalogue_.release_supervisor(a_);
  }

  void whatIsGoneForGoodIsNotBroughtBack() {
    edits().remove({QString::fromStdString(a_)});
    catalogue_.remove_run(a_);
    QSignalSpy failed(&edits(), &RunEdits::failed);
    undo();
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(names(), QStringList({"b", "c"}));
    QVERIFY(!edits().stack()->canUndo() && !edits().stack()->canRedo());
  }

  void theTrashGivesBackAndForgets() {
    edits().remove({QString::fromStdString(a_), QString::fromStdString(b_), QString::fromStdString(c_)});
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Edit/Trash …")));
    auto* trash = window_->findChild<TrashDialog*>();
    QVERIFY(trash != nullptr && trash->isVisible());
    auto* runs = trash->findChild<QTreeWidget*>();
    QCOMPARE(runs->topLevelItemCount(), 3);
    const auto button = [&](const char* text) {
      for (auto* each : trash->findChildren<QPushButton*>())
        if (each->text() == QString::fromUtf8(text)) return each;
      qFatal("there is no button %s", text);
    };
    QVERIFY(!button("Restore")->isEnabled());
    test::keepPicture(*trash, QStringLiteral("trash"));
    runs->findItems(QStringLiteral("b"), Qt::MatchExactly).first()->setSelected(true);
    QTest::mouseClick(button("Restore"), Qt::LeftButton);
    QTRY_COMPARE(names(), QStringList("b"));
    QCOMPARE(runs->topLevelItemCount(), 2);
    const auto confirm = [](bool isMeant) {
      QTimer::singleShot(0, qApp, [isMeant] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        QVERIFY(box != nullptr);
        for (QAbstractButton* each : box->buttons())
          if ((each->text() == QStringLiteral("Delete for good")) == isMeant) return each->click();
      });
    };
    confirm(false);
    QTest::mouseClick(button("Empty the trash …"), Qt::LeftButton);
    QCOMPARE(catalogue_.trash().size(), 2u);
    confirm(true);
    QTest::mouseClick(button("Empty the trash …"), Qt::LeftButton);
    QVERIFY(catalogue_.trash().empty());
    QVERIFY(!catalogue_.run(a_) && catalogue_.run(b_));
    trash->close();
  }

  void editsAreUndoneInTheirOrder() {
    const QString b = QString::fromStdString(b_);
    click(list(), QStringLiteral("b"));
    answer(QStringLiteral("better"));
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Edit/Rename …")));
    QTRY_COMPARE(run(b_).name, std::string("better"));
    answer(QStringLiteral("sweep"));
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Edit/Group …")));
    answer(QStringLiteral("two\nlines"));
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Edit/Note …")));
    answer(QStringLiteral("paper, best"));
    QVERIFY(test::clickMenu(*window_, QStringLiteral("Edit/Tags …")));
    QTRY_COMPARE(run(b_).tags, (std::vector<std::string>{"best", "paper"}));
    QCOMPARE(run(b_).spec.group, std::string("sweep"));
    QCOMPARE(run(b_).note, std::string("two\nlines"));
    QCOMPARE(entry("Edit", "Undo")->text(), QStringLiteral("Undo change of the tags of better"));
    window_->activateWindow();  // questions have been in front of it
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    undo();
    QTRY_VERIFY(run(b_).tags.empty());
    undo();
    QTRY_COMPARE(run(b_).note, std::string());
    undo();
    QTRY_COMPARE(run(b_).spec.group, std::string());
    QCOMPARE(entry("Edit", "Undo")->text(), QStringLiteral("Undo renaming of b"));
    undo();
    QTRY_COMPARE(run(b_).name, std::string("b"));
    for (int i = 0; i < 4; ++i) redo();
    QTRY_COMPARE(run(b_).tags.size(), 2u);
    QCOMPARE(run(b_).name, std::string("better"));
    QVERIFY(!entry("Edit", "Redo")->isEnabled());
  }

  void editsOfTheTableToo() {
    const QModelIndex name = rowOf(table(), QStringLiteral("c"));
    QVERIFY(table()->model()->setData(name, QStringLiteral("cc")));
    QTRY_COMPARE(run(c_).name, std::string("cc"));
    undo();
    QTRY_COMPARE(run(c_).name, std::string("c"));
  }

  void whatWasChangedElsewhereStays() {
    edits().set(QString::fromStdString(a_), QStringLiteral("name"), QStringLiteral("mine"));
    edits().tag({QString::fromStdString(a_), QString::fromStdString(b_)}, QStringLiteral("x, y"));
    catalogue_.change_tags(a_, {"z"}, {});
    undo();
    QTRY_COMPARE(run(a_).tags, std::vector<std::string>{"z"});
    QVERIFY(run(b_).tags.empty());
    catalogue_.set_name(a_, "theirs");
    QSignalSpy failed(&edits(), &RunEdits::failed);
    undo();
    QTRY_COMPARE(failed.size(), 1);
    VERIFY_HOLDS(failed[0][0].toString(), "changed elsewhere");
    QCOMPARE(run(a_).name, std::string("theirs"));
  }

  void whatIsWrongChangesNothing() {
    QSignalSpy failed(&edits(), &RunEdits::failed);
    edits().set(QString::fromStdString(a_), QStringLiteral("name"), QStringLiteral("latest"));
    edits().tag({QString::fromStdString(a_)}, QString(100, QLatin1Char('x')));
    edits().set(QString::fromStdString(a_), QStringLiteral("name"), QStringLiteral("a"));  // as it is
    edits().tag({QString::fromStdString(a_)}, QStringLiteral("-nothing"));
    QCOMPARE(failed.size(), 2);
    QVERIFY(!edits().stack()->canUndo());
  }

  void oneKeyUndoesTheLastOfZoomsAndEdits() {
    const std::string id = test::writeSyntheticRun(catalogue_, {.stepsPerGeneration = 100});
    watcher_.reload();
    window_->openRun(id);
    ViewState& view = *window_->view();
    press(Qt::Key_Plus);
    QVERIFY(view.isZoomed());
    edits().set(QString::fromStdString(id), QStringLiteral("note"), QStringLiteral("n"));
    undo();
    QTRY_COMPARE(run(id).note, std::string());
    QVERIFY(view.isZoomed());
    QCOMPARE(entry("Edit", "Undo")->text(), QStringLiteral("Undo zoom or pan"));
    undo();
    QVERIFY(!view.isZoomed());
    redo();
    QTRY_VERIFY(run(id).note == "n" || view.isZoomed());
  }

  void keysDoNothingWhereNothingIsSelected() {
    for (const storage::Run& each : catalogue_.runs()) catalogue_.remove_run(each.id);
    watcher_.reload();
    QSignalSpy failed(&edits(), &RunEdits::failed);
    press(Qt::Key_Delete);
    press(Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
    undo();
    QVERIFY(QApplication::activeModalWidget() == nullptr);
    QCOMPARE(failed.size(), 0);
  }

  // Where the page goes that had the keyboard, no button is handed it.
  void aPageThatGoesLeavesTheKeyboardToTheWindow() {
    press(Qt::Key_T);
    QVERIFY(table()->hasFocus());
    press(Qt::Key_T);
    QVERIFY(!table()->isVisible());
    QVERIFY(window_->hasFocus());
  }

  void keysDoNothingUnseenOnAnEmptyStore() {
    for (const storage::Run& each : catalogue_.runs()) catalogue_.remove_run(each.id);
    window_.reset();
    showWindow({1280, 720});
    for (const auto& [key, modifiers] : {std::pair(Qt::Key_G, Qt::NoModifier),
                                         {Qt::Key_W, Qt::NoModifier},
                                         {Qt::Key_B, Qt::NoModifier},
                                         {Qt::Key_V, Qt::NoModifier},
                                         {Qt::Key_D, Qt::ShiftModifier},
                                         {Qt::Key_R, Qt::NoModifier},
                                         {Qt::Key_Return, Qt::ControlModifier},
                                         {Qt::Key_S, Qt::ControlModifier},
                                         {Qt::Key_P, Qt::ControlModifier},
                                         {Qt::Key_Period, Qt::ControlModifier}})
      press(key, modifiers);
    QVERIFY(QApplication::activeModalWidget() == nullptr);
    QVERIFY2(test::notice(*window_).contains("there is none yet"), qPrintable(test::notice(*window_)));
    for (const char* shown : {"Goodput explorer", "Why it scaled", "Groups as bands", "Replay the run"})
      for (const QAction* action : window_->findChildren<QAction*>())
        if (action->text() == QLatin1String(shown)) QVERIFY2(!action->isChecked(), shown);
  }
};

BATCHSCOPE_TEST(TestEdits)
#include "test_edits.moc"
