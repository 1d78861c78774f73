// SPDX-License-Identifier: Apache-2.0
//
// Stretches of a pass that follow one another become one.
#include "batchscope/protocol/ledger.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::protocol;

namespace {

// Samples from..to of 1000 in pass 3 of epoch 1, one of them padding.
Stretch stretch(std::int64_t from, std::int64_t to, std::int64_t step) {
  return {2, {"train-0", 1, 3, from, to, 1, 1000, step}};
}

using Change = void (*)(Stretch&);

}  // namespace

Q_DECLARE_METATYPE(Change)

class TestLedger : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatGoesOnIsJoined() {
    Ledger ledger;
    append(ledger, stretch(0, 100, 7));
    append(ledger, stretch(100, 160, 9));
    QCOMPARE(ledger.size(), 1u);
    const LedgerEntry& joined = ledger[0].entry;
    QCOMPARE(joined.from, 0);
    QCOMPARE(joined.to, 160);
    QCOMPARE(joined.padding, 2);
    QCOMPARE(joined.step, 9);
  }

  void whatDoesNotStandsForItself_data() {
    const auto row = batchscope::testing::columns<Change>({"change"});
    row("of another loader", [](Stretch& next) { next.entry.loader = "train-1"; });
    row("of another generation", [](Stretch& next) { next.generation = 3; });
    row("of another epoch", [](Stretch& next) { next.entry.epoch = 2; });
    row("of another pass", [](Stretch& next) { next.entry.pass = 4; });
    row("behind a gap", [](Stretch& next) { next.entry.from = 101; });
    row("begun anew", [](Stretch& next) { next.entry.from = 0; });
    row("of another data set", [](Stretch& next) { next.entry.dataset_size = 2000; });
  }
  void whatDoesNotStandsForItself() {
    QFETCH(const Change, change);
    Ledger ledger;
    Stretch next = stretch(100, 160, 9);
    change(next);
    append(ledger, stretch(0, 100, 7));
    append(ledger, next);
    QVERIFY((ledger == Ledger{stretch(0, 100, 7), next}));
  }

  // Two loaders take turns, and the first did not know at first how large its data set is.
  void eachLoaderGoesOnWhereItWas() {
    Stretch early = stretch(0, 100, 7), other = stretch(0, 50, 8);
    early.entry.dataset_size = 0;
    other.entry.loader = "train-1";
    Ledger ledger;
    append(ledger, early);
    append(ledger, other);
    append(ledger, stretch(100, 160, 9));
    QCOMPARE(ledger.size(), 2u);
    QCOMPARE(ledger[0].entry.to, 160);
    QCOMPARE(ledger[0].entry.dataset_size, 1000);
    QVERIFY(ledger[1] == other);
  }
};

BATCHSCOPE_TEST(TestLedger)
#include "test_ledger.moc"
