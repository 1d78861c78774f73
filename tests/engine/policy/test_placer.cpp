// SPDX-License-Identifier: Apache-2.0
//
// The devices that jobs get, once it is known how many.
#include "placer.h"

#include <algorithm>

#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

namespace {

double alike(std::size_t, const Placement&) { return 1; }
double more(std::size_t, const Placement& placement) { return -replicas(placement); }
double compact(std::size_t, const Placement& placement) {
  return placement.empty() ? 1000 : static_cast<double>(placement.size());
}

using Cost = double (*)(std::size_t, const Placement&);

}  // namespace

Q_DECLARE_METATYPE(Cost)

class TestPlacer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A job gets as few nodes as hold it, the hole that fits best, and nobody moves without need.
  void placesTightly() {
    const Cluster cluster = uniform_cluster(3, 4);
    const PlacementCost nodes = [](std::size_t, const Placement& placement) {
      return placement.empty() ? 1000.0 : static_cast<double>(placement.size()) / replicas(placement);
    };
    std::vector<Wish> wishes{
        {.devices = 2, .present = {{1, 2}}}, {.devices = 4}, {.devices = 1}, {.devices = 4}};
    const std::vector<Placement> placements = place(cluster, wishes, nodes);
    QVERIFY(placements[0] == wishes[0].present);
    QCOMPARE(placements[1].size(), 1u);
    QCOMPARE(placements[3].size(), 1u);
    QVERIFY((placements[2] == Placement{{1, 1}}));
  }

  // Whole on the node that it fills most, a job is not moved to another one, though that would cost it less.
  void whoHasItsWishOnANodeHasItThere() {
    const PlacementCost cost = [](std::size_t, const Placement& placement) {
      return placement == Placement{{0, 2}} ? 0.0 : 1.0;
    };
    const auto placements = place(Cluster{{4, 0}, {2, 0}}, std::vector<Wish>{{.devices = 2}}, cost);
    QVERIFY((placements[0] == Placement{{1, 2}}));
  }

  // Placed by size, the small job would be left with two halves of nodes, which is dear to it and not to the
  // large one.
  void makesRoomForWhomItMatters() {
    const Cluster cluster = uniform_cluster(2, 4);
    const PlacementCost cost = [](std::size_t job, const Placement& placement) {
      const bool dear = job == 0 ? placement != Placement{{0, 3}} : job == 2 && placement.size() > 1;
      return placement.empty() ? 1000.0 : (dear ? 3.0 : 1.0) / replicas(placement);
    };
    const std::vector<Placement> placements =
        place(cluster, std::vector<Wish>{{.devices = 3, .present = {{0, 3}}}, {.devices = 3}, {.devices = 2}},
              cost);
    QVERIFY((placements[0] == Placement{{0, 3}}));
    QVERIFY((placements[2] == Placement{{1, 2}}));
    QCOMPARE(replicas(placements[1]), 3);
  }

  // Each of nodes 1 to 6 has a small job. A wants a whole one. Those of 1 to 4 are at home, where alone they
  // train well; those of 5 and 6 train as well anywhere. More devices are on a node of another kind, and
  // nobody is asked for what he would do there.
  void makesRoomWhereItCostsLeast() {
    const Cluster cluster{{8, 1}, {4, 0}, {4, 0}, {4, 0}, {4, 0}, {4, 0}, {4, 0}};
    std::vector<Wish> wishes{{.devices = 4}, {.devices = 0}};
    for (int node = 1; node <= 6; ++node) wishes.push_back({.devices = 1, .present = {{node, 1}}});
    bool is_possible = true;
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      for (const Share& share : placement) {
        const Node& node = cluster.at(static_cast<std::size_t>(share.node));
        if (node.kind != 0 || share.devices < 1 || share.devices > node.devices) is_possible = false;
      }
      if (placement.empty()) return 1000.0;
      if (job == 0) return placement.size() == 1 && replicas(placement) == 4 ? 0.0 : 5.0;
      return job < 6 && placement != wishes[job].present ? 10.0 : 0.0;
    };
    const std::vector<Placement> placements = place(cluster, wishes, cost);
    QVERIFY(is_possible);
    QVERIFY((placements[0] == Placement{{5, 4}}));
    QVERIFY(placements[1].empty());
    for (std::size_t job = 2; job < 6; ++job) QVERIFY(placements[job] == wishes[job].present);
    QCOMPARE(replicas(placements[6]), 1);
    QVERIFY(placements[6] != wishes[6].present);
  }

  // Five nodes have two small jobs each, whose costs at home differ. Another one wants a place, and on the
  // last node it costs least to make room, if the cheaper job leaves. No room is made where nothing is saved
  // by it.
  void whoeverLosesLeastLeaves_data() {
    const auto row = columns<double, bool>({"lost", "makesRoom"});
    row("more than the other", 20, true);
    row("as much", 1, false);
  }
  void whoeverLosesLeastLeaves() {
    QFETCH(const double, lost);
    QFETCH(const bool, makesRoom);
    const std::vector<double> elsewhere{5, 5, 5, 5, 5, 5, 5, 5, 10, 1, lost};
    std::vector<Wish> wishes;
    for (int job = 0; job < 10; ++job) wishes.push_back({.devices = 1, .present = {{job / 2, 1}}});
    wishes.push_back({.devices = 1});
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      const bool is_well = job == 10 ? !placement.empty() : placement == wishes[job].present;
      return (job == 9 ? 100.0 : 0.0) + (is_well ? 0.0 : elsewhere[job]);
    };
    const std::vector<Placement> placements = place(uniform_cluster(5, 2), wishes, cost);
    for (std::size_t job = 0; job < 9; ++job) QVERIFY(placements[job] == wishes[job].present);
    QVERIFY(placements[9] == (makesRoom ? Placement{} : wishes[9].present));
    QVERIFY(placements[10] == (makesRoom ? Placement{{4, 1}} : Placement{}));
  }

  // Full nodes of one device. Elsewhere the jobs of the first ones would lose little, but there is no room
  // for them. Four nodes are tried, by what the jobs would lose elsewhere, which bounds the work.
  void triesFourNodes_data() {
    const auto row = columns<int, bool>({"dear", "isHelped"});
    row("the fourth is the one", 3, true);
    row("the fifth would be", 4, false);
  }
  void triesFourNodes() {
    QFETCH(const int, dear);
    QFETCH(const bool, isHelped);
    std::vector<Wish> wishes;
    for (int job = 0; job <= dear; ++job) wishes.push_back({.devices = 1, .present = {{job, 1}}});
    wishes.push_back({.devices = 1});
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      if (static_cast<int>(job) > dear) return placement.empty() ? 20.0 : 0.0;
      if (placement == wishes[job].present) return 0.0;
      return static_cast<int>(job) == dear ? 2.0 : placement.empty() ? 100.0 : 1.0;
    };
    const std::vector<Placement> placements = place(uniform_cluster(dear + 1, 1), wishes, cost);
    QCOMPARE(!placements.back().empty(), isHelped);
  }

  // Five kinds of device with two nodes each, on both of which is a small job that is well anywhere, and a
  // job that wants a whole one. To place all anew is dear to a last job, on nodes of a sixth kind. So room is
  // made, for the four that lose most: a bound of the work.
  void makesRoomForTheFourThatLoseMost() {
    Cluster cluster;
    for (int kind = 0; kind < 5; ++kind) cluster.insert(cluster.end(), 2, {2, kind});
    cluster.push_back({4, 5});
    cluster.push_back({3, 5});
    const std::vector<double> lost{9, 7, 5, 6, 8};
    std::vector<Wish> wishes;
    for (int kind = 0; kind < 5; ++kind) wishes.push_back({.kind = kind, .devices = 2});
    for (int node = 0; node < 10; ++node)
      wishes.push_back({.kind = node / 2, .devices = 1, .present = {{node, 1}}});
    wishes.push_back({.kind = 5, .devices = 3});
    wishes.push_back({.kind = 5, .devices = 2, .present = {{11, 2}}});
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      if (placement.empty()) return 1000.0;
      if (job == 16) return placement == wishes[16].present ? 0.0 : 100.0;
      return job < 5 && (placement.size() > 1 || placement[0].devices < 2) ? lost[job] : 0.0;
    };
    const std::vector<Placement> placements = place(cluster, wishes, cost);
    for (std::size_t job = 0; job < 5; ++job) QCOMPARE(cost(job, placements[job]), job == 2 ? 5.0 : 0.0);
    QVERIFY(placements[16] == wishes[16].present);
    for (std::size_t job = 5; job < 15; ++job) QCOMPARE(replicas(placements[job]), 1);
  }

  // Two jobs are at home on two nodes each. On a fifth one is a job that would lose less elsewhere: room is
  // made there.
  void spreadJobsAreNotMovedForLittle() {
    const std::vector<Wish> wishes{{.devices = 2, .present = {{0, 1}, {1, 1}}},
                                   {.devices = 2, .present = {{2, 1}, {3, 1}}},
                                   {.devices = 1, .present = {{4, 1}}},
                                   {.devices = 2}};
    const std::vector<double> elsewhere{10, 10, 1};
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      if (placement.empty()) return 1000.0;
      if (job == 3) return placement.size() == 1 && replicas(placement) == 2 ? 0.0 : 5.0;
      return placement == wishes[job].present ? 0.0 : elsewhere[job];
    };
    const std::vector<Placement> placements = place(uniform_cluster(5, 2), wishes, cost);
    QVERIFY((placements[3] == Placement{{4, 2}}));
    for (std::size_t job = 0; job < 2; ++job) QVERIFY(placements[job] == wishes[job].present);
  }

  // The first two jobs change places, which saves much. The third one has as many devices as it wishes for,
  // on two nodes that it would rather not leave.
  void whoIsWellStaysWhereOthersMove() {
    Cluster cluster{{3, 0}, {4, 0}};
    cluster.insert(cluster.end(), 4, {2, 1});
    std::vector<Wish> wishes{{.devices = 2, .present = {{0, 2}}},
                             {.devices = 3},
                             {.kind = 1, .devices = 2, .present = {{4, 1}, {5, 1}}}};
    for (int node = 2; node < 6; ++node)
      wishes.push_back({.kind = 1, .devices = 1, .fixed = true, .present = {{node, 1}}});
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      if (job == 1) return placement == Placement{{0, 3}} ? 0.0 : 100.0;
      if (job == 2) return placement == wishes[2].present ? 0.0 : 3.0;
      return 0.0;
    };
    const std::vector<Placement> placements = place(cluster, wishes, cost);
    QVERIFY((placements[1] == Placement{{0, 3}}));
    QVERIFY((placements[0] == Placement{{1, 2}}));
    QVERIFY(placements[2] == wishes[2].present);
  }

  // The first node alone is large enough; on it is somebody who is well anywhere.
  void makesRoomOnTheFirstNode() {
    const Cluster cluster{{4, 0}, {2, 0}, {2, 0}, {4, 1}, {3, 1}};
    const std::vector<Wish> wishes{{.devices = 1, .present = {{0, 1}}},
                                   {.devices = 4},
                                   {.kind = 1, .devices = 3},
                                   {.kind = 1, .devices = 2, .present = {{4, 2}}}};
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      if (placement.empty()) return 1000.0;
      if (job == 3) return placement == wishes[3].present ? 0.0 : 100.0;
      return job == 1 && placement != Placement{{0, 4}} ? 5.0 : 0.0;
    };
    const std::vector<Placement> placements = place(cluster, wishes, cost);
    QVERIFY((placements[1] == Placement{{0, 4}}));
    QVERIFY((placements[0] == Placement{{1, 1}}));
  }

  // Room can be made for b on node 3. It is, although others have lost more: a, for whom none can be made,
  // and four jobs on two nodes each of a third kind, which are fixed.
  void whoCannotBeHelpedIsInNobodysWay() {
    Cluster cluster{{4, 0}, {4, 0}, {4, 1}, {4, 1}};
    std::vector<Wish> wishes{{.kind = 0, .devices = 4}, {.kind = 1, .devices = 4}};
    for (int node = 0; node < 2; ++node)
      wishes.push_back({.kind = 0, .devices = 1, .fixed = true, .present = {{node, 1}}});
    for (int node = 2; node < 4; ++node) wishes.push_back({.kind = 1, .devices = 1, .present = {{node, 1}}});
    for (int node = 4; node < 12; node += 2) {
      cluster.insert(cluster.end(), 2, {2, 2});
      wishes.push_back({.kind = 2, .devices = 2, .fixed = true, .present = {{node, 1}, {node + 1, 1}}});
    }
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      if (placement.empty()) return 1000.0;
      const bool is_whole = placement.size() == 1 && replicas(placement) == wishes[job].devices;
      if (job < 2) return is_whole ? 0.0 : job == 0 ? 10.0 : 5.0;
      if (wishes[job].kind == 2) return is_whole ? 0.0 : 20.0;
      return job == 4 && placement != wishes[job].present ? 10.0 : 0.0;  // the one on node 2 is at home there
    };
    const std::vector<Placement> placements = place(cluster, wishes, cost);
    QVERIFY((placements[1] == Placement{{3, 4}}));
    QVERIFY((placements[5] == Placement{{2, 1}}));
    for (std::size_t job = 0; job < wishes.size(); ++job)
      if (wishes[job].fixed) QVERIFY(placements[job] == wishes[job].present);
  }

  // Two jobs on several nodes do not share one while there is another way.
  void keepsSpreadJobsApart() {
    const Cluster cluster = uniform_cluster(3, 4);
    const std::vector<Placement> placements =
        place(cluster, std::vector<Wish>{{.devices = 6}, {.devices = 6}}, more);
    std::vector<int> spread(3);
    for (const Placement& placement : placements)
      if (placement.size() > 1)
        for (const Share& share : placement) ++spread[static_cast<std::size_t>(share.node)];
    for (const int count : spread) QVERIFY(count < 2);
    for (const Placement& placement : placements) QVERIFY(replicas(placement) >= 4);
  }

  // The tighter node goes to the first of two jobs that want as many.
  void placesTheFirstOfEqualsFirst() {
    const PlacementCost alike = [](std::size_t, const Placement&) { return 1.0; };
    const std::vector<Placement> placements =
        place(Cluster{{3, 0}, {2, 0}}, std::vector<Wish>{{.devices = 2}, {.devices = 2}}, alike);
    QVERIFY((placements[0] == Placement{{1, 2}}));
    QVERIFY((placements[1] == Placement{{0, 2}}));
  }

  // One device more is left where a job has one, and may have two.
  void whatIsLeftGoesToWhoGains() {
    const std::vector<Placement> placements =
        place(uniform_cluster(1, 2), std::vector<Wish>{{.devices = 1, .most = 2}}, more);
    QVERIFY((placements[0] == Placement{{0, 2}}));
  }

  // One device costs less than two on two nodes.
  void takesTheCheaperOfWhatThereIs() {
    const PlacementCost spread_is_dear = [](std::size_t, const Placement& placement) {
      return placement.empty() ? 9.0 : placement.size() > 1 ? 3.0 : 1.0;
    };
    std::vector<Wish> wishes;
    for (int node = 0; node < 3; ++node)
      wishes.push_back({.devices = 1, .fixed = true, .present = {{node, 1}}});
    wishes.push_back({.devices = 2});
    const std::vector<Placement> placements = place(uniform_cluster(3, 2), wishes, spread_is_dear);
    QCOMPARE(placements[3].size(), 1u);
    QCOMPARE(replicas(placements[3]), 1);
  }

  // It keeps the one device that it has where there are not two beside a spread job.
  void staysOnOneDeviceBesideASpreadJob() {
    const Placement spread{{0, 1}, {1, 1}}, present{{1, 1}};
    const PlacementCost cost = [&](std::size_t job, const Placement& placement) {
      return (job == 1 && placement != present ? 0.5 : 0.0) - replicas(placement);
    };
    const std::vector<Placement> placements =
        place(uniform_cluster(2, 2),
              std::vector<Wish>{{.devices = 2, .fixed = true, .present = spread},
                                {.devices = 2, .least = 1, .present = present}},
              cost);
    QVERIFY(placements[1] == present);
  }

  // A job has fewer devices, on one node, rather than a share of two nodes that a spread job is on.
  void shrinksBesideASpreadJob() {
    const Placement spread{{0, 2}, {1, 2}};
    const std::vector<Placement> placements =
        place(uniform_cluster(2, 3),
              std::vector<Wish>{{.devices = 4, .fixed = true, .present = spread}, {.devices = 3}}, more);
    QVERIFY(placements[0] == spread);
    QCOMPARE(placements[1].size(), 1u);
    QCOMPARE(replicas(placements[1]), 1);
  }

  // Two are the next lower number to four of a node, though three are free on each.
  void shrinksToAPowerOfTwo() {
    const std::vector<Placement> placements = place(
        uniform_cluster(2, 4),
        std::vector<Wish>{{.devices = 2, .fixed = true, .present = {{0, 1}, {1, 1}}}, {.devices = 4}}, more);
    QCOMPARE(placements[1].size(), 1u);
    QCOMPARE(replicas(placements[1]), 2);
  }

  // Each job's placement in full, where no repair is needed.
  void whereEachGoes_data() {
    const auto row = columns<Cluster, std::vector<Wish>, Cost, std::vector<Placement>>(
        {"cluster", "wishes", "cost", "placements"});
    const Wish one{.devices = 1}, two{.devices = 2}, three{.devices = 3};
    const auto fixed = [](const Placement& present) { return Wish{.fixed = true, .present = present}; };
    const auto stays = [](int devices, const Placement& present) {
      return Wish{.devices = devices, .present = present};
    };
    row("the first of nodes alike", uniform_cluster(2, 2), {one}, alike, {{{0, 1}}});
    row("a tight one before a loose one", {{2, 0}, {3, 0}}, {two}, alike, {{{0, 2}}});
    row("on two nodes, the first ones", uniform_cluster(3, 2), {three}, alike, {{{0, 2}, {1, 1}}});
    row("a node's last free device", uniform_cluster(2, 2), {fixed({{0, 1}}), three}, alike,
        {{{0, 1}}, {{1, 2}, {0, 1}}});
    row("on nodes of one device", uniform_cluster(3, 1), {three}, alike, {{{0, 1}, {1, 1}, {2, 1}}});
    row("as many as it wishes, rather than fewer", uniform_cluster(3, 2),
        {fixed({{0, 1}}), fixed({{1, 1}}), fixed({{2, 1}}), two}, alike,
        {{{0, 1}}, {{1, 1}}, {{2, 1}}, {{0, 1}, {1, 1}}});
    row("fewer than it has", uniform_cluster(3, 2),
        {fixed({{0, 1}}), fixed({{1, 1}}), fixed({{2, 1}}), stays(2, {{0, 1}, {1, 1}, {2, 1}})}, more,
        {{{0, 1}}, {{1, 1}}, {{2, 1}}, {{0, 1}, {1, 1}}});
    row("not where another spread job is", uniform_cluster(4, 2),
        {fixed({{0, 1}, {1, 1}}), stays(2, {{0, 1}, {1, 1}})}, more, {{{0, 1}, {1, 1}}, {{2, 2}}});
    row("a whole node for eight of four", uniform_cluster(3, 4), {fixed({{0, 1}, {1, 1}}), {.devices = 8}},
        more, {{{0, 1}, {1, 1}}, {{2, 4}}});
    row("a whole node for five of four", uniform_cluster(3, 4), {fixed({{0, 1}, {1, 1}}), {.devices = 5}},
        more, {{{0, 1}, {1, 1}}, {{2, 4}}});
    row("two for three", uniform_cluster(2, 4), {fixed({{0, 2}, {1, 2}}), three}, more,
        {{{0, 2}, {1, 2}}, {{0, 2}}});
    row("nobody moves for nothing", uniform_cluster(3, 2), {stays(2, {{0, 1}, {1, 1}})}, alike,
        {{{0, 1}, {1, 1}}});
    row("who is compact stays where another moves", uniform_cluster(3, 2),
        {stays(2, {{0, 1}, {1, 1}}), stays(1, {{2, 1}})}, compact, {{{0, 2}}, {{2, 1}}});
    row("on two nodes of two rather than on three", uniform_cluster(3, 2),
        {stays(4, {{0, 2}, {1, 1}, {2, 1}})}, compact, {{{0, 2}, {1, 2}}});
    row("what is left goes to both", uniform_cluster(1, 4),
        {{.devices = 1, .most = 2}, {.devices = 1, .most = 2}}, more, {{{0, 2}}, {{0, 2}}});
    row("no more than there is, to the first", uniform_cluster(1, 3),
        {{.devices = 1, .most = 2}, {.devices = 1, .most = 2}}, more, {{{0, 2}}, {{0, 1}}});
    row("no more than it may have", uniform_cluster(1, 4), {{.devices = 1, .most = 2}}, more, {{{0, 2}}});
    row("no more than is of use", uniform_cluster(1, 3), {{.devices = 1, .most = 3}},
        [](std::size_t, const Placement& placement) { return replicas(placement) < 2 ? 1.0 : 0.0; },
        {{{0, 2}}});
    row("first to whom it saves most", uniform_cluster(1, 5),
        {{.devices = 1, .most = 3}, {.devices = 1, .most = 3}},
        [](std::size_t job, const Placement& placement) {
          return (job == 1 ? -3.0 : -1.0) * replicas(placement);
        },
        {{{0, 2}}, {{0, 3}}});
  }
  void whereEachGoes() {
    QFETCH(const Cluster, cluster);
    QFETCH(const std::vector<Wish>, wishes);
    QFETCH(const Cost, cost);
    QFETCH(const std::vector<Placement>, placements);
    const std::vector<Placement> found = place(cluster, wishes, cost);
    QCOMPARE(found.size(), placements.size());
    for (std::size_t job = 0; job < found.size(); ++job)
      QVERIFY2(found[job] == placements[job], qPrintable(QString("job %1").arg(job)));
  }
};

BATCHSCOPE_TEST(TestPlacer)
#include "test_placer.moc"
