// SPDX-License-Identifier: Apache-2.0
//
// Branchings as the store has them, while their runs have not written anything yet.
#include "batchscope/common/branchings.h"

#include <QTemporaryDir>
#include <filesystem>

#include "batchscope/protocol/paths.h"
#include "batchscope/storage/catalogue.h"
#include "test_case.h"
#include "text_files.h"

using namespace batchscope;
using namespace batchscope::common;

class TestBranchings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aBranchWithoutSeriesIsShown() {
    const QTemporaryDir home;
    qputenv("BATCHSCOPE_DB", (home.path() + QStringLiteral("/runs.db")).toUtf8());
    storage::Catalogue catalogue(protocol::catalogue_path());
    const std::string origin = catalogue.create_run({});
    for (const std::int64_t size : {16, 32}) {
      protocol::RunSpec spec;
      spec.group = "branches";
      spec.environment[protocol::variable::kBranch] =
          protocol::Branch{
              .run = origin, .checkpoint = "checkpoint-000000", .batch_size = size, .samples = 512}
              .text();
      const auto paths = protocol::run_paths(catalogue.create_run(spec));
      std::filesystem::create_directories(paths.root);
      // A supervisor is about to fill the file; that of the other branch has not made one.
      if (size == 16) testing::write_file(paths.samples, "");
    }
    const auto found = branchingsOf(catalogue, origin);
    QCOMPARE(found.size(), 1u);
    QCOMPARE(found[0].runs.size(), 2u);
    QCOMPARE(found[0].runs[0].steps, 0);
    QVERIFY(!found[0].isOver() && !found[0].critical && !found[0].noiseScale);
    QVERIFY(recordCritical(catalogue, origin, found));
  }
};

BATCHSCOPE_TEST(TestBranchings)
#include "test_branchings.moc"
