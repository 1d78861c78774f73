// SPDX-License-Identifier: Apache-2.0
//
// Several runs in one table.
#include "batchscope/storage/side_by_side.h"

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
using Kind = SideBySideSection::Kind;

namespace {

template <class Value>
Value cell(const SideBySideSection& section, const std::string& row, std::size_t run) {
  for (const SideBySideRow& one : section.rows)
    if (one.name == row) return std::get<Value>(one.values.at(run));
  throw Error(ErrorKind::failure, "there is no row " + row);
}

bool has_nothing(const SideBySideSection& section, const std::string& row, std::size_t run) {
  return cell<std::monostate>(section, row, run) == std::monostate();
}

}  // namespace

class TestSideBySide : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachRunHasItsCell() {
    std::vector<Run> runs(2);
    runs[0].state = RunState::finished;
    runs[0].created = 1000;
    runs[0].ended = 1060;
    runs[0].step = 40;
    runs[0].epoch = 3;
    runs[0].spec.program = "train";
    runs[0].spec.arguments = {"--lr", "0.1"};
    runs[0].tags = {"a", "b"};
    runs[0].hyperparameters = {{"lr", "0.1"}};
    runs[0].latest = {{"loss", 0.5}};
    runs[1].state = RunState::running;
    runs[1].created = 1020;
    runs[1].spec.program = "other";
    runs[1].hyperparameters = {{"rule", "adascale"}};
    Generation first, second;
    second.number = 1;
    const std::vector<std::vector<Generation>> generations{{first, second}, {first}};

    const auto table = side_by_side(runs, generations, 1100);
    QCOMPARE(table.size(), 4u);
    const SideBySideSection &run = table[0], &parameters = table[1], &starts = table[2], &latest = table[3];
    QVERIFY(run.kind == Kind::run && parameters.kind == Kind::hyperparameters);
    QVERIFY(starts.kind == Kind::generations && latest.kind == Kind::latest);
    QCOMPARE(cell<std::string>(run, "state", 0), std::string("finished"));
    QCOMPARE(cell<std::string>(run, "command", 0), std::string("train --lr 0.1"));
    QCOMPARE(cell<std::string>(run, "command", 1), std::string("other"));
    QCOMPARE(cell<std::string>(run, "tags", 0), std::string("a, b"));
    QVERIFY(has_nothing(run, "tags", 1));
    QCOMPARE(cell<std::int64_t>(run, "steps", 0), 40);
    QCOMPARE(cell<std::int64_t>(run, "epochs", 0), 3);
    QCOMPARE(cell<double>(run, "duration", 0), 60.0);
    QCOMPARE(cell<double>(run, "duration", 1), 80.0);  // it goes on
    QCOMPARE(parameters.rows.size(), 2u);
    QCOMPARE(cell<std::string>(parameters, "lr", 0), std::string("0.1"));
    QVERIFY(has_nothing(parameters, "lr", 1) && has_nothing(parameters, "rule", 0));
    QCOMPARE(starts.rows.size(), 2u);
    QCOMPARE(cell<Generation>(starts, "#1", 0).number, 1);
    QVERIFY(has_nothing(starts, "#1", 1));
    QCOMPARE(cell<double>(latest, "loss", 0), 0.5);
    QVERIFY(has_nothing(latest, "loss", 1));
  }
};

BATCHSCOPE_TEST(TestSideBySide)
#include "test_side_by_side.moc"
