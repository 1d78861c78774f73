// SPDX-License-Identifier: Apache-2.0
//
// The pool's machines with their devices and who has these, as words and as JSON.
#include "batchscope/common/node_lanes.h"

#include <QTemporaryDir>

#include "batchscope/run/machine.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::common;

class TestNodeLanes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    catalogue_.emplace(folder_->filePath("runs.db").toStdString());
  }

  void oneMachineHasNoOther() {
    const std::vector<NodeLane> lanes = nodeLanes(*catalogue_);
    QCOMPARE(lanes.size(), 1u);
    QCOMPARE(nodeName(lanes[0]), "here");
    QVERIFY(!areSeveral(lanes));
    QCOMPARE(lanes[0].devices.size(), run::Machine::here().cores.size() + run::Machine::here().gpus.size());
  }

  void whoHasWhichDeviceOfANode() {
    share("n2,n3,n4", {{"n2", true, 5, "", {"cpu:0", "cpu:1", "cpu:2"}, {"cuda:0"}},
                       {"n3", false, 40, "its agent's line closed", {"cpu:0"}, {}}});
    const std::string one = holds("one", {"n2/cpu:0", "n2/cpu:1"}), two = holds("two", {"n2/cuda:0"});
    const std::vector<NodeLane> lanes = nodeLanes(*catalogue_);
    QCOMPARE(lanes.size(), 3u);
    QVERIFY(areSeveral(lanes));
    const std::vector<HeldDevice> devices{
        {"n2/cuda:0", two, "two"}, {"n2/cpu:0", one, "one"}, {"n2/cpu:1", one, "one"}, {"n2/cpu:2", "", ""}};
    QVERIFY(lanes[0].devices == devices);
    QCOMPARE(nodeName(lanes[0]), "n2");
    QCOMPARE(nodeText(lanes[0], 100), "1 of 1 GPU, 2 of 3 cores in use");
    QCOMPARE(nodeRunsText(lanes[0]), "two cuda:0, one cpu:0-1");
    QCOMPARE(nodeText(lanes[1], 100), "not there for 60 s: its agent's line closed");
    QCOMPARE(nodeRunsText(lanes[1]), "");
    QCOMPARE(nodeText(lanes[2], 100), "is being looked for");
    const protocol::Json json = nodeLanesJson(lanes);
    QVERIFY(json[0]["node"] == "n2");
    QVERIFY(json[0]["devices"][3]["run"].is_null() && json[0]["devices"][0]["name"] == "two");
    QVERIFY(!json[1]["there"].get<bool>());
    QVERIFY(json[1]["why"] == "its agent's line closed");
  }

 private:
  void share(const std::string& agents, const std::vector<protocol::PoolNode>& seen) {
    catalogue_->change_pool_settings([&](protocol::PoolSettings& settings) {
      settings.agents = agents;
      settings.here = false;
    });
    catalogue_->put_pool_nodes(seen);
  }

  // Makes a run that has these devices; returns its id.
  std::string holds(const std::string& name, const std::vector<std::string>& devices) {
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/bin/true";
    const std::string id = catalogue_->create_run(spec);
    catalogue_->lease_devices(id, [&](const auto&, const auto&) { return devices; });
    return id;
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::optional<storage::Catalogue> catalogue_;
};

BATCHSCOPE_TEST(TestNodeLanes)
#include "test_node_lanes.moc"
