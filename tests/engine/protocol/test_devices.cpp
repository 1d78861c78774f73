// SPDX-License-Identifier: Apache-2.0
//
// Names of devices and of nodes: which there are, and which are refused.
#include <QSysInfo>

#include "batchscope/protocol/devices.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/protocol/replicas.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestDevices : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void namesOfDevices_data() {
    testing::rows("name", {"cpu:0", "cpu:10", "cpu:999999", "cuda:0", "cuda:GPU-5b1c", "cuda:MIG-GPU-5b/1/0",
                           "n2/cpu:0", "n-2.lan/cuda:MIG-GPU-5b/1/0", "n2/cuda:GPU-azAZ09"});
  }
  void namesOfDevices() {
    QFETCH(const QString, name);
    check_devices({name.toStdString()});
  }

  void noNamesOfDevices_data() {
    testing::rows("name", {"",
                           "cpu",
                           "cpu:",
                           "cpu:00",
                           "cpu:01",
                           "cpu:-1",
                           "cpu:1000000",
                           "cpu:/",
                           "cpu:1:",
                           "gpu:0",
                           "cuda:",
                           "cuda:GPU_5b1c",
                           "cuda:UUID-5b1c",
                           "cuda:GPU-5b`",
                           "cuda:GPU-5b{",
                           "cuda:GPU-5b@",
                           "cuda:GPU-5b[",
                           "/cpu:0",
                           "n 2/cpu:0",
                           "n2/n3/cpu:0",
                           "n2/",
                           "cpu:n2/0"});
  }
  void noNamesOfDevices() {
    QFETCH(const QString, name);
    VERIFY_THROWS("usage", "'" + name.toStdString() + "' is not a device",
                  check_devices({"cpu:5", name.toStdString()}));
  }

  void theLongestIdOfAGpu() {
    const std::string longest = "cuda:GPU-" + std::string(76, 'a');
    check_devices({longest});
    VERIFY_THROWS("usage", "is not a device", check_devices({longest + "a"}));
  }

  void eachIsNamedOnceAndNoMoreThanARunMayHave() {
    check_devices({});
    VERIFY_THROWS("usage", "'cpu:1' is named twice", check_devices({"cpu:1", "cpu:2", "cpu:1"}));
    std::vector<std::string> many;
    for (int i = 0; i < kMostReplicas; ++i) many.push_back("cpu:" + std::to_string(i));
    check_devices(many);
    many.push_back("cuda:0");
    VERIFY_THROWS("usage", "4097 devices", check_devices(many));
  }

  void kindsThatARunMayAskFor() {
    for (const char* kind : {"auto", "cpu", "cuda", "cuda:3"}) check_device_kind(kind);
    for (const char* kind : {"", "gpu", "cpu:1", "cuda1"})
      VERIFY_THROWS("usage", "is not one of", check_device_kind(kind));
  }

  void namesOfNodes() {
    for (const std::string& name : {std::string("n"), std::string("Node-2.lan_x"), std::string(64, 'n')})
      QVERIFY2(valid_node_name(name), name.c_str());
    for (const std::string& name :
         {std::string(), std::string(65, 'n'), std::string("n 2"), std::string("n/2")})
      QVERIFY2(!valid_node_name(name), name.c_str());
    qputenv("SLURMD_NODENAME", "of-slurm");
    QCOMPARE(node_name(), std::string("of-slurm"));
    qputenv("SLURMD_NODENAME", "");
    const std::string host = QSysInfo::machineHostName().toStdString();
    QCOMPARE(node_name(), host);
    qunsetenv("SLURMD_NODENAME");
    QCOMPARE(node_name(), host);
  }

  void nodesAndTheirHosts() {
    QVERIFY(parse_node_hosts("").empty());
    QVERIFY((parse_node_hosts("n2,n3=me@10.0.0.3") ==
             std::vector<NodeHost>{{"n2", "n2"}, {"n3", "me@10.0.0.3"}}));
    QVERIFY((parse_node_host("n2=a=b") == NodeHost{"n2", "a=b"}));
    for (const char* text : {"", "=host", "-n2", "n2=", "n2=-l", "n2=a b", "n2=a\x01", "n/2"})
      VERIFY_THROWS("usage", "is not a node", parse_node_host(text));
    VERIFY_THROWS("usage", "node n2 is named twice", parse_node_hosts("n2,n3,n2=elsewhere"));
  }
};

BATCHSCOPE_TEST(TestDevices)
#include "test_devices.moc"
