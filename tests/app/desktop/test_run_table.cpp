// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of a thousand runs: it is there before any series is read, is searched by words and by the CLI's
// filter, sorted, edited where it stands, and its runs are checked for comparison, by mouse and by keyboard.
#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>

#include "runs/run_edits.h"
#include "runs/run_filter_model.h"
#include "runs/run_model.h"
#include "runs/run_search.h"
#include "runs/run_table_page.h"
#include "session/comparison.h"
#include "test_case.h"
#include "window_test.h"

using namespace batchscope;
using namespace batchscope::desktop;
using protocol::RunState;

namespace {

constexpr int kRuns = 1000;

}  // namespace

class TestRunTable : public test::WindowTest {
  Q_OBJECT

  RunTablePage* page_ = nullptr;
  QTableView* table_ = nullptr;
  QLineEdit* search_ = nullptr;

  int columnOf(const QString& title) const {
    for (int column = 0; column < table_->model()->columnCount(); ++column)
      if (table_->model()->headerData(column, Qt::Horizontal).toString() == title) return column;
    return -1;
  }
  QString cell(int row, const QString& title) const {
    return table_->model()->index(row, columnOf(title)).data().toString();
  }
  void clickHeader(const QString& title) {
    QHeaderView* header = table_->horizontalHeader();
    const int column = columnOf(title);
    table_->scrollTo(table_->model()->index(0, column));
    const QPoint place(header->sectionViewportPosition(column) + 8, header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, place);
  }
  void search(const QString& text) {
    search_->setFocus();
    search_->selectAll();
    if (text.isEmpty()) {
      QTest::keyClick(search_, Qt::Key_Backspace);
    } else {
      QTest::keyClicks(search_, text);
    }
  }
  QLabel* complaint() const {
    return page_->findChild<RunSearch*>()->findChild<QLabel*>(QStringLiteral("filterComplaint"));
  }
  void choose(int row) {
    QTest::mouseClick(table_->viewport(), Qt::LeftButton, {},
                      table_->visualRect(table_->model()->index(row, 1)).center());
  }

 private Q_SLOTS:
  void initTestCase() {
    for (int i = 0; i < kRuns - 2; ++i) {
      const auto state = i % 3 == 0 ? RunState::failed : RunState::finished;
      const std::string id =
          test::writeListedRun(catalogue_, "sweep-" + std::to_string(i), state, 0.5 + 0.0004 * i);
      if (i % 50 == 7) catalogue_.set_tags(id, {"paper"});
    }
    for (const char* name : {"digits-one", "digits-two"})
      test::writeSyntheticRun(catalogue_, {.name = name, .stepsPerGeneration = 200});
  }

  void theTableIsThereBeforeAnySeriesIsRead() {
    makeWindow({1440, 900});
    window_->showPage(Page::Runs);
    page_ = window_->findChild<RunTablePage*>();
    table_ = page_->findChild<QTableView*>(QStringLiteral("runTable"));
    search_ = page_->findChild<QLineEdit*>();
    window_->show();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QCOMPARE(table_->model()->rowCount(), kRuns);
    QVERIFY(table_->isVisible());
    QVERIFY(!window_->session()->isOpen());
    test::keepPicture(*window_, QStringLiteral("run-table"));
  }

  void itsModelsKeepTheRules() {
    Comparison comparison;
    RunModel model(&comparison);
    RunFilterModel filter(&model);
    QAbstractItemModelTester first(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester second(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<storage::Run> runs = watcher_.runs();
    runs.resize(40);
    model.setRuns(runs);
    model.setFields({"name", "state", "accuracy", "created"});
    filter.sort(2, Qt::DescendingOrder);
    runs.erase(runs.begin() + 3);
    runs[5].latest["accuracy"] = 1;
    runs[6].latest.clear();
    model.setRuns(runs);
    QCOMPARE(filter.index(0, 0).data().toString(), QString::fromStdString(runs[5].name));
    QCOMPARE(filter.index(38, 0).data().toString(), QString::fromStdString(runs[6].name));
    filter.sort(2, Qt::AscendingOrder);
    QCOMPARE(filter.index(38, 0).data().toString(), QString::fromStdString(runs[6].name));
    const QPersistentModelIndex kept = model.index(4, 0);
    model.setFields({"name", "loss"});
    QCOMPARE(kept.data().toString(), QString::fromStdString(runs[4].name));
    QVERIFY(model.setData(model.index(4, 0), Qt::Checked, Qt::CheckStateRole));
    QVERIFY(comparison.isChosen(runs[4].id));
    filter.setQuery(RunQuery::parse(QStringLiteral("state=failed"), {}));
    QVERIFY(filter.rowCount() > 0 && filter.rowCount() < 39);
  }

  void wordsFindRuns() {
    search(QStringLiteral("digits"));
    QCOMPARE(table_->model()->rowCount(), 2);
    search(QStringLiteral("paper sweep"));
    QCOMPARE(table_->model()->rowCount(), 20);
    search({});
    QCOMPARE(table_->model()->rowCount(), kRuns);
  }

  void aFilterIsTheOneOfTheCommandLine() {
    const QString text = QStringLiteral("accuracy>0.8 and state=failed");
    search(text);
    const auto filter = storage::RunFilter::parse(text.toStdString());
    const auto passing =
        std::count_if(watcher_.runs().begin(), watcher_.runs().end(),
                      [&](const storage::Run& run) { return filter.matches(run, storage::now()); });
    QVERIFY(passing > 10);
    QCOMPARE(table_->model()->rowCount(), static_cast<int>(passing));
    test::keepPicture(*window_, QStringLiteral("run-table-filter"));
  }

  void whatIsWrongIsSaidAsOneTypes() {
    const int before = table_->model()->rowCount();
    QTest::keyClicks(search_, QStringLiteral(" and acuracy>0.9"));
    QVERIFY(complaint()->isVisible());
    QVERIFY2(complaint()->text().contains(QStringLiteral("accuracy")), qPrintable(complaint()->text()));
    QVERIFY(complaint()->text().contains(QStringLiteral("For example")));
    QCOMPARE(table_->model()->rowCount(), before);  // of the last filter that was one
    test::keepPicture(*window_, QStringLiteral("run-table-complaint"));
    QTest::keyClick(search_, Qt::Key_Escape);
    QVERIFY(!complaint()->isVisible());
    QCOMPARE(table_->model()->rowCount(), kRuns);
  }

  void namesOfFieldsAreCompleted() {
    search(QStringLiteral("accur"));
    QTest::keyClick(search_, Qt::Key_Escape);  // the list of suggestions
    search(QString());
    QCOMPARE(table_->model()->rowCount(), kRuns);
  }

  void aClickOnAHeadingSorts() {
    clickHeader(QStringLiteral("Accuracy"));
    const bool isAscending = table_->horizontalHeader()->sortIndicatorOrder() == Qt::AscendingOrder;
    const double first = cell(0, QStringLiteral("Accuracy")).section(' ', 0, 0).toDouble();
    clickHeader(QStringLiteral("Accuracy"));
    const double second = cell(0, QStringLiteral("Accuracy")).section(' ', 0, 0).toDouble();
    QVERIFY(first != second);
    QCOMPARE(first < second, isAscending);
    clickHeader(QStringLiteral("Created"));
  }

  void aNameIsEditedWhereItStands() {
    search(QStringLiteral("sweep-12"));
    const QString id = table_->model()->index(0, 0).data(RunModel::IdRole).toString();
    choose(0);
    table_->setCurrentIndex(table_->model()->index(0, 0));
    table_->setFocus();
    QTest::keyClick(table_, Qt::Key_F2);
    auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(editor != nullptr);
    editor->selectAll();
    QTest::keyClicks(editor, QStringLiteral("sweep-12, the good one"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(QString::fromStdString(catalogue_.run(id.toStdString())->name),
                 QStringLiteral("sweep-12, the good one"));
    QVERIFY(table_->isVisible());  // that Return opened nothing
    QVERIFY(!window_->session()->isOpen());
  }

  void tagsAndGroupsToo() {
    const QString id = table_->model()->index(0, 0).data(RunModel::IdRole).toString();
    QVERIFY(table_->model()->setData(table_->model()->index(0, columnOf(QStringLiteral("Tags"))),
                                     QStringLiteral("best, paper")));
    QVERIFY(table_->model()->setData(table_->model()->index(0, columnOf(QStringLiteral("Group"))),
                                     QStringLiteral("lr sweep")));
    QTRY_COMPARE(catalogue_.run(id.toStdString())->spec.group, std::string("lr sweep"));
    const auto run = catalogue_.run(id.toStdString());
    QCOMPARE(run->tags, (std::vector<std::string>{"best", "paper"}));
    QCOMPARE(cell(0, QStringLiteral("Tags")), QStringLiteral("best, paper"));
    // An impossible edit is reported, and nothing is changed.
    QSignalSpy failed(window_->findChild<RunEdits*>(), &RunEdits::failed);
    table_->model()->setData(table_->model()->index(0, 0), QStringLiteral("latest"));
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("newest run")));
    QCOMPARE(catalogue_.run(id.toStdString())->name, run->name);
  }

  void spaceChecksAndReturnOpens() {
    search(QStringLiteral("digits"));
    choose(0);
    QTest::keyClick(table_, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(table_, Qt::Key_Space);
    QCOMPARE(window_->comparison()->chosenCount(), 2u);
    auto* compare = page_->findChild<QPushButton*>(QStringLiteral("primary"));
    QCOMPARE(compare->text(), QStringLiteral("Compare 2 runs"));
    test::keepPicture(*window_, QStringLiteral("run-table-checked"));
    QTest::keyClick(table_, Qt::Key_Space);
    QCOMPARE(window_->comparison()->chosenCount(), 0u);
    QVERIFY(!compare->isEnabled());
    choose(1);
    const QString id = table_->currentIndex().data(RunModel::IdRole).toString();
    QTest::keyClick(table_, Qt::Key_Return);
    QVERIFY(window_->session()->isOpen());
    QCOMPARE(QString::fromStdString(window_->session()->run().id), id);
    QVERIFY(!table_->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_T);
    QVERIFY(table_->isVisible());
    QCOMPARE(table_->currentIndex().data(RunModel::IdRole).toString(), id);
  }

  // One that is checked is compared with the open one, which is none to compare with itself.
  void oneIsComparedWithTheOpenOne() {
    auto* compare = page_->findChild<QPushButton*>(QStringLiteral("primary"));
    const std::string open = window_->session()->run().id;
    window_->comparison()->choose(open, true);
    QVERIFY(!compare->isEnabled());
    QCOMPARE(compare->text(), QStringLiteral("Compare"));
    window_->comparison()->clear();
    for (int row = 0; row < table_->model()->rowCount(); ++row)
      if (const auto id = table_->model()->index(row, 0).data(RunModel::IdRole).toString().toStdString();
          id != open)
        window_->comparison()->choose(std::vector{id});
    QCOMPARE(compare->text(), QStringLiteral("Compare 2 runs"));
    QTest::mouseClick(compare, Qt::LeftButton);
    QVERIFY(!table_->isVisible());
    QCOMPARE(window_->session()->run().id, open);
    QCOMPARE(window_->comparison()->members().size(), 2u);
    window_->comparison()->clear();
    window_->showPage(Page::Runs);
  }

  void aCheckBoxIsClicked() {
    const QModelIndex at = table_->model()->index(0, 0);
    const QRect row = table_->visualRect(at);
    QTest::mouseClick(table_->viewport(), Qt::LeftButton, {}, QPoint(row.left() + 14, row.center().y()));
    QVERIFY(window_->comparison()->isChosen(at.data(RunModel::IdRole).toString().toStdString()));
    window_->comparison()->clear();
  }

  void itIsDrawnInTheDarkToo() {
    applyTheme(Theme::Mode::Dark);
    search({});
    table_->selectRow(3);
    window_->comparison()->choose(watcher_.runs()[0].id, true);
    window_->comparison()->choose(watcher_.runs()[1].id, true);
    QTest::qWait(50);
    const QImage picture = table_->grab().toImage();
    QCOMPARE(picture.isNull(), false);
    test::keepPicture(*window_, QStringLiteral("run-table-dark"));
    window_->comparison()->clear();
  }
};

BATCHSCOPE_TEST(TestRunTable)
#include "test_run_table.moc"
