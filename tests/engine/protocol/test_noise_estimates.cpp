// SPDX-License-Identifier: Apache-2.0
//
// The file of estimates that a replica writes while it measures.
#include <QFile>
#include <QTemporaryDir>

#include "batchscope/protocol/noise_estimates.h"
#include "hindered.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestNoiseEstimates : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatIsWrittenIsRead() {
    const auto read = estimates(line({64, 32, 10, -0.25, 1e-9}) + line({64, 32, 10, 2, 3}) + "{\"initial_ba");
    QCOMPARE(read.size(), 2u);
    QCOMPARE(read[0].initial_batch_size, 64);
    QCOMPARE(read[0].local_batch_size, 32);
    QCOMPARE(read[0].gradients, 10);
    QCOMPARE(read[0].sqr, -0.25);
    QCOMPARE(read[0].var, 1e-9);
    QCOMPARE(read[1].var, 3.0);
  }

  void noFileIsNoEstimate() { QVERIFY(read_noise_estimates("/nowhere/noise").empty()); }

  void aFileThatCannotBeOpenedIsNotNone() {
    const std::string file = folder_.filePath("noise").toStdString();
    estimates(line({64, 32, 10, 2, 3}));
    const testing::NoMoreFiles hindered;
    VERIFY_THROWS("io", "cannot read " + file, read_noise_estimates(file));
  }

  void otherLinesAreRefused() {
    for (const char* bad : {"{}\n", "12\n", "\n", "{\"initial_batch_size\": \"x\"}\n"})
      VERIFY_THROWS("corrupt", "line 2", estimates(line({64, 32, 10, 2, 3}) + bad));
  }

 private:
  static std::string line(const NoiseEstimate& estimate) { return noise_line(estimate) + "\n"; }

  std::vector<NoiseEstimate> estimates(const std::string& content) {
    QFile file(folder_.filePath("noise"));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("cannot write");
    file.write(content.data(), static_cast<qint64>(content.size()));
    file.close();
    return read_noise_estimates(file.fileName().toStdString());
  }

  QTemporaryDir folder_;
};

BATCHSCOPE_TEST(TestNoiseEstimates)
#include "test_noise_estimates.moc"
