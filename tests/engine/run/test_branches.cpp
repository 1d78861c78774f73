// SPDX-License-Identifier: Apache-2.0
//
// The batch sizes of branches as a person writes them.
#include "batchscope/run/branch.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestBranches : public QObject {
  Q_OBJECT

  using Sizes = std::vector<std::int64_t>;

 private Q_SLOTS:
  void sizesAreRead() {
    QCOMPARE(parse_batch_sizes("32..256"), (Sizes{32, 64, 128, 256}));
    QCOMPARE(parse_batch_sizes("24..100"), (Sizes{24, 32, 64, 100}));
    QCOMPARE(parse_batch_sizes("1..2"), (Sizes{1, 2}));
    QCOMPARE(parse_batch_sizes("64,32,64,96"), (Sizes{32, 64, 96}));
  }

  void othersAreRefused_data() {
    const auto row = testing::columns<QString, QString>({"text", "complaint"});
    row("one", "64", "one size cannot be compared");
    row("one twice", "64,64", "one size cannot be compared");
    row("no end", "64..", "'' is not a number");
    row("backwards", "64..32", "the second end is to be larger");
    row("a word", "32,many", "'many' is not a number");
    row("zero", "0..4", "'0' is not a number");
    row("negative", "-4,4", "'-4' is not a number");
    row("too large", "1..99999999999999999999", "is not a number");
    row("empty", "", "one size cannot be compared");
    row("a fraction", "1.5,4", "'1.5' is not a number");
  }
  void othersAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, complaint);
    VERIFY_THROWS("usage", complaint.toStdString(), parse_batch_sizes(text.toStdString()));
  }
};

BATCHSCOPE_TEST(TestBranches)
#include "test_branches.moc"
