// SPDX-License-Identifier: Apache-2.0
//
// Where oneDNN is kept from AMX, and where the choice is left to it or to the user. That bf16 trains on the
// processor at hand is what train.precision says.
#include "device/onednn.h"

#include <ATen/Version.h>

#include "replicas.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::train;
using namespace batchscope::testing;

namespace {

constexpr const char* kDebian = "Intel(R) MKL-DNN v2.6.3 (Git Hash N/A)";
constexpr const char* kNewest = "Intel(R) MKL-DNN v3.13.0 (Git Hash 3d1fcc2f)";
constexpr const char* kVariable = "ONEDNN_MAX_CPU_ISA";

void forget_limits() {
  qunsetenv(kVariable);
  qunsetenv("DNNL_MAX_CPU_ISA");
}

// Returns what oneDNN itself says it computes with, in a replica that trains in bf16.
QByteArray isa_of_replica(const std::map<std::string, std::string>& variables) {
  Launch launch;
  launch.program = "precision";
  launch.arguments = {"1", "autocast"};
  launch.at_load = variables;
  launch.at_load["ONEDNN_VERBOSE"] = "1";
  const Replica replica = run(launch).front();
  if (replica.code != 0) qWarning() << replica.errors;
  for (const QByteArray& line : replica.output.split('\n'))
    if (const auto at = line.indexOf("cpu,isa:"); at >= 0) return line.mid(at + 8);
  return {};
}

}  // namespace

class TestOneDnn : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { forget_limits(); }
  void cleanup() { forget_limits(); }

  void knowsWhereAmxKills_data() {
    QTest::addColumn<bool>("offered");
    QTest::addColumn<int>("palettes");
    QTest::addColumn<QString>("version");
    QTest::addColumn<bool>("kills");
    QTest::addRow("no AMX") << false << 0 << kDebian << false;
    QTest::addRow("no tiles") << true << 0 << kDebian << true;
    QTest::addRow("no tiles for the newest either") << true << 0 << kNewest << true;
    QTest::addRow("Debian's") << true << 1 << kDebian << true;
    QTest::addRow("LibTorch 2.0's") << true << 1 << "Intel(R) MKL-DNN v2.7.3 (Git Hash 6dbeffba)" << true;
    QTest::addRow("3.0") << true << 1 << "Intel(R) MKL-DNN v3.0.1 (Git Hash x)" << true;
    QTest::addRow("LibTorch 2.1's") << true << 1 << "Intel(R) MKL-DNN v3.1.1 (Git Hash 64f6bcbc)" << false;
    QTest::addRow("the newest") << true << 1 << kNewest << false;
    QTest::addRow("none") << true << 1 << "MKLDNN not found" << false;
  }
  void knowsWhereAmxKills() {
    QFETCH(bool, offered);
    QFETCH(int, palettes);
    QFETCH(QString, version);
    QFETCH(bool, kills);
    QCOMPARE(!reason_against_amx({offered, palettes}, version.toStdString()).empty(), kills);
  }

  void limitsWhatWouldKill() {
    limit_onednn({.offered = false, .palettes = 0});
    QVERIFY(!onednn_limit());
    limit_onednn({.offered = true, .palettes = 0});
    QCOMPARE(onednn_limit(), kOnednnWithoutAmx);
    QCOMPARE(qgetenv(kVariable), QByteArray(kOnednnWithoutAmx));
  }

  void leavesTheUsersLimit_data() {
    QTest::addColumn<QByteArray>("name");
    for (const char* name : {kVariable, "DNNL_MAX_CPU_ISA"}) QTest::addRow("%s", name) << QByteArray(name);
  }
  void leavesTheUsersLimit() {
    QFETCH(QByteArray, name);
    qputenv(name, "AVX2");
    limit_onednn({.offered = true, .palettes = 0});
    QCOMPARE(onednn_limit(), "AVX2");
    QVERIFY(name == kVariable || !qEnvironmentVariableIsSet(kVariable));
  }

  // Checked by what oneDNN says of itself: the limit comes before its first call, and the user's is the one
  // that holds.
  void holdsInAReplica() {
    const QByteArray isa = isa_of_replica({});
    if (isa.isEmpty()) QSKIP("LibTorch does not use oneDNN for bf16 on this processor");
    if (!reason_against_amx(amx_of_this_processor(), at::get_mkldnn_version()).empty())
      QVERIFY2(!isa.contains("AMX"), isa);
    const QByteArray users = isa_of_replica({{kVariable, "AVX512_CORE"}});
    QVERIFY2(users.contains("AVX-512") && !users.contains("bfloat16"), users);
  }
};

BATCHSCOPE_TEST(TestOneDnn)
#include "test_onednn.moc"
