// SPDX-License-Identifier: Apache-2.0
//
// What older programs wrote is read as it was meant: the store and the exported files in tests/kept come back
// byte for byte.
#include "command_test.h"
#include "rows.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

const QString kKept = KEPT_FOLDER "/";

}  // namespace

class TestKept : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void aStoreIsExportedAsItWas() {
    QVERIFY(storage::test::meddle(sandbox_->database().toStdString(),
                                  contents(kKept + "catalogue.sql").toStdString()));
    QVERIFY(QDir().mkpath(sandbox_->path("runs/h3oiyw5j")));
    QVERIFY(QFile::copy(kKept + "samples.db", sandbox_->path("runs/h3oiyw5j/samples.db")));
    QCOMPARE(exported(), contents(kKept + "fitted.jsonl"));
  }

  void anExportedRunIsImportedAsItWas_data() { testing::rows("file", {"fitted.jsonl", "fitted.sqlite"}); }

  void anExportedRunIsImportedAsItWas() {
    QFETCH(QString, file);
    VERIFY_CODE(kExitOk, ask({"import", kKept + file}));
    QByteArray expected = contents(kKept + "fitted.jsonl");
    expected.replace(R"("program":")", R"("program":"imported:)");
    QCOMPARE(exported(), expected);
  }

 private:
  QByteArray exported() const {
    ask({"export", "fitted", "-o", "again.jsonl"});
    return contents("again.jsonl");
  }
};

BATCHSCOPE_TEST(TestKept)
#include "test_kept.moc"
