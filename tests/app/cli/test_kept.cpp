// SPDX-License-Identifier: Apache-2.0
//
// What older programs wrote is read as it was meant: the store and the exported files in tests/kept come back
// byte for byte.
#include <QDir>

#include "sandbox.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

const QString kKept = KEPT_FOLDER "/";

QByteArray contents(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

}  // namespace

class TestKept : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { sandbox_ = std::make_unique<Sandbox>(); }

  void aStoreIsExportedAsItWas() {
    QVERIFY(storage::test::meddle(sandbox_->database().toStdString(),
                                  contents(kKept + "catalogue.sql").toStdString()));
    QVERIFY(QDir().mkpath(sandbox_->path("runs/h3oiyw5j")));
    QVERIFY(QFile::copy(kKept + "samples.db", sandbox_->path("runs/h3oiyw5j/samples.db")));
    QCOMPARE(exported(), contents(kKept + "fitted.jsonl"));
  }

  void anExportedRunIsImportedAsItWas_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"fitted.jsonl", "fitted.sqlite"}) QTest::newRow(file) << file;
  }

  void anExportedRunIsImportedAsItWas() {
    QFETCH(QString, file);
    const Answer answer = sandbox_->ask({"import", kKept + file});
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    QByteArray expected = contents(kKept + "fitted.jsonl");
    expected.replace(R"("program":")", R"("program":"imported:)");
    QCOMPARE(exported(), expected);
  }

 private:
  QByteArray exported() const {
    sandbox_->ask({"export", "fitted", "-o", "again.jsonl"});
    return contents(sandbox_->path("again.jsonl"));
  }

  std::unique_ptr<Sandbox> sandbox_;
};

BATCHSCOPE_TEST(TestKept)
#include "test_kept.moc"
