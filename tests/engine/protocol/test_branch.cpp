// SPDX-License-Identifier: Apache-2.0
//
// The variable that makes a run a branch.
#include "batchscope/protocol/branch.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestBranch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatIsWrittenIsRead() {
    Branch branch{"3f9a12bc", "checkpoint-000003", 300, 123.25, 64, 16384};
    QVERIFY(Branch::parse(branch.text()) == branch);
    branch.metric = "loss/total";
    branch.tolerance = 0.25;
    QVERIFY(Branch::parse(branch.text()) == branch);
    QVERIFY(branch_of({{variable::kBranch, branch.text()}}) == branch);
  }

  void othersAreNoBranches() {
    QVERIFY(!branch_of({}));
    QVERIFY(!branch_of({{variable::kBranch, "{}"}}));
  }

  void oneSampleIsEnough() {
    const Branch one{"3f9a12bc", "checkpoint-000003", 300, 123.25, 1, 1};
    QVERIFY(Branch::parse(one.text()) == one);
  }

  void otherTextsAreRefused() {
    Branch no_samples{"3f9a12bc", "checkpoint-000003", 300, 123.25, 1, 0}, no_batch = no_samples;
    no_batch.batch_size = 0;
    no_batch.samples = 1;
    for (const std::string& bad : {std::string("x"), std::string("{}"), no_samples.text(), no_batch.text()})
      VERIFY_THROWS("usage", "BATCHSCOPE_BRANCH is not a branch", Branch::parse(bad));
  }
};

BATCHSCOPE_TEST(TestBranch)
#include "test_branch.moc"
