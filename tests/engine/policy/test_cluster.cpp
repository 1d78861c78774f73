// SPDX-License-Identifier: Apache-2.0
//
// Clusters: what there is of each kind of device, and the fewest nodes that hold so many.
#include "batchscope/policy/cluster.h"

#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

class TestCluster : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void clustersOfOneKind() {
    QCOMPARE(uniform_cluster(3, 4).size(), 3u);
    QCOMPARE(devices(uniform_cluster(3, 4), 0), 12);
    QCOMPARE(devices(uniform_cluster(3, 4), 1), 0);
    QCOMPARE(kinds(uniform_cluster(3, 4)), 1);
    QCOMPARE(kinds(Cluster{{2, 0}, {2, 2}, {2, 1}}), 3);
    for (const int nodes : {0, -1}) QVERIFY(uniform_cluster(nodes, 4).empty());
  }

  void fewestNodes_data() {
    const auto row = columns<int, int, int>({"kind", "devices", "nodes"});
    row("none", 0, 0, 0);
    row("one", 0, 1, 1);
    row("the largest", 0, 4, 1);
    row("and another", 0, 5, 2);
    row("two", 0, 7, 2);
    row("all", 0, 9, 3);
    row("more than all", 0, 10, 5);
    row("of another kind", 1, 1, 1);
    row("more of it than there are", 1, 2, 2);
  }
  void fewestNodes() {
    QFETCH(const int, kind);
    QFETCH(const int, devices);
    QTEST(fewest_nodes({{2, 0}, {4, 0}, {1, 1}, {0, 0}, {3, 0}}, kind, devices), "nodes");
  }
};

BATCHSCOPE_TEST(TestCluster)
#include "test_cluster.moc"
