// SPDX-License-Identifier: Apache-2.0
//
// Whole placements, and whole refusals, a row each: who gets which devices with how many threads, what is
// said of it, and what the pool would never give.
#include <fmt/format.h>

#include <QScopeGuard>
#include <limits>

#include "batchscope/run/node_devices.h"
#include "batchscope/run/pool.h"
#include "devices/node_placement.h"
#include "machines.h"
#include "rows.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestPlacementTables : public QObject {
  Q_OBJECT

  using Devices = std::vector<std::string>;

  // "cuda*2" is a run on "cuda" with two devices for each replica; "cuda+" one that shares GPUs.
  static protocol::RunSpec run_on(QString text) {
    protocol::RunSpec spec;
    spec.oversubscribe = text.endsWith('+');
    if (spec.oversubscribe) text.chop(1);
    spec.device = text.section('*', 0, 0).toStdString();
    spec.devices_per_replica = text.section('*', 1, 1).toInt();
    return spec;
  }
  static Devices words(const QString& text) {
    Devices all;
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) all.push_back(word.toStdString());
    return all;
  }
  // Two runs hold them by turns, of which the second is the queue's.
  static std::vector<storage::Lease> held(const QString& devices) {
    std::vector<storage::Lease> leases;
    for (const std::string& device : words(devices))
      if (leases.size() % 2 == 0)
        leases.push_back({device, "aaaaaaaa", "digits", false});
      else
        leases.push_back({device, "bbbbbbbb", "cifar", true});
    return leases;
  }
  // Describes a placement: each place as DEVICE/BACKEND/THREADS, with the GPUs that it sees, if that is said.
  static QString told(const Placement& placement) {
    std::string text;
    for (const Place& place : placement.places) {
      text += (place.node.empty() ? "" : place.node + "/") + place.device + "/" + place.backend + "/" +
              std::to_string(place.threads);
      if (place.visible_gpus) text += "[" + *place.visible_gpus + "]";
      text += " ";
    }
    text += "on " + fmt::format("{}", fmt::join(placement.devices, ","));
    if (!placement.warning.empty()) text += "; " + placement.warning;
    return QString::fromStdString(text);
  }

 private Q_SLOTS:
  void runsArePlaced_data() {
    const auto row = testing::columns<QString, int, QString, int, int, QString, QString>(
        {"run", "replicas", "named", "cores", "gpus", "held", "expected"});
    const QString shared_with = QStringLiteral("cores are shared with run digits (aaaaaaaa)"),
                  slow = QStringLiteral(
                      ": they slow one another down until one is paused, stopped or given fewer replicas"),
                  fewer = QStringLiteral(": ask for fewer, or allow several on one with --oversubscribe"),
                  pause = QStringLiteral(
                      ": ask for fewer, pause or stop the other run, or share with --oversubscribe"),
                  of_digits = QStringLiteral(" by run digits (aaaaaaaa)"),
                  of_cifar = QStringLiteral(" by run cifar (bbbbbbbb) of the queue");
    // Cores.
    row("all cores", "auto", 1, "", 3, 0, "", "auto/auto/3 on cpu:0,cpu:1,cpu:2");
    row("one is left", "cpu", 2, "", 3, 0, "", "cpu/auto/1 cpu/auto/1 on cpu:0,cpu:1");
    row("as many as there are", "cpu", 2, "", 2, 0, "", "cpu/auto/1 cpu/auto/1 on cpu:0,cpu:1");
    row("one core for two", "cpu", 2, "", 1, 0, "",
        "cpu/auto/1 cpu/auto/1 on cpu:0; 2 replicas share 1 core and will wait for one another");
    row("threads of one", "cpu*4", 1, "", 3, 0, "",
        "cpu/auto/4 on cpu:0,cpu:1,cpu:2; 1 replica with 4 cores shares 3 cores and its threads will wait "
        "for "
        "one another");
    row("a thread each", "cpu*1", 2, "", 4, 0, "", "cpu/auto/1 cpu/auto/1 on cpu:0,cpu:1");
    row("one thread named twice", "cpu*1", 1, "cpu:0 cpu:1", 4, 0, "",
        "usage: 2 devices are named (cpu:0-1), and 1 replica needs 1: name as many");
    row("pairs", "cpu*2", 2, "", 3, 0, "",
        "cpu/auto/2 cpu/auto/2 on cpu:0,cpu:1,cpu:2; 2 replicas with 2 cores each share 3 cores and will "
        "wait "
        "for one another");
    row("the free ones", "cpu", 1, "", 4, 0, "cpu:0 cpu:2", "cpu/auto/2 on cpu:1,cpu:3");
    row("just enough are free", "cpu", 2, "", 4, 0, "cpu:0 cpu:2", "cpu/auto/1 cpu/auto/1 on cpu:1,cpu:3");
    row("one is held", "cpu", 2, "", 2, 0, "cpu:1",
        "cpu/auto/1 cpu/auto/1 on cpu:0,cpu:1; " + shared_with + slow);
    row("all are held", "cpu", 1, "", 2, 0, "cpu:0 cpu:1",
        "cpu/auto/2 on cpu:0,cpu:1; " + shared_with + ", run cifar (bbbbbbbb) of the queue" + slow);
    row("shared twice over", "cpu", 3, "", 2, 0, "cpu:1",
        "cpu/auto/1 cpu/auto/1 cpu/auto/1 on cpu:0,cpu:1; 3 replicas share 2 cores and will wait for one "
        "another; " +
            shared_with + slow);
    // GPUs.
    row("a GPU", "cuda", 1, "", 4, 2, "", "cuda:0/nccl/4[0] on cuda:0");
    row("two GPUs", "cuda", 2, "", 5, 2, "", "cuda:0/nccl/2[0,1] cuda:1/nccl/2[0,1] on cuda:0,cuda:1");
    row("more replicas than cores", "cuda", 2, "", 1, 2, "",
        "cuda:0/nccl/1[0,1] cuda:1/nccl/1[0,1] on cuda:0,cuda:1");
    row("three on two", "cuda", 3, "", 4, 2, "", "conflict: 3 replicas on 2 GPUs" + fewer);
    row("two on one", "cuda:1", 2, "", 4, 2, "", "conflict: 2 replicas on 1 GPU" + fewer);
    row("pairs of three", "cuda*2", 2, "", 4, 3, "",
        "conflict: 2 replicas with 2 GPUs each on 3 GPUs" + fewer);
    row("none is free", "cuda", 1, "", 4, 2, "cuda:0 cuda:1",
        "conflict: 1 replica needs a GPU, and 0 of 2 are free (held: cuda:0" + of_digits + "; cuda:1" +
            of_cifar + ")" + pause);
    row("too few are free", "cuda", 3, "", 4, 3, "cuda:1",
        "conflict: 3 replicas need a GPU each, and 2 of 3 are free (held: cuda:1" + of_digits + ")" + pause);
    row("a pair is not free", "cuda*2", 1, "", 4, 2, "cuda:1",
        "conflict: 1 replica needs 2 GPUs, and 1 of 2 is free (held: cuda:1" + of_digits + ")" + pause);
    row("two pairs are not free", "cuda*2", 2, "", 4, 4, "cuda:1",
        "conflict: 2 replicas need 2 GPUs each, and 3 of 4 are free (held: cuda:1" + of_digits + ")" + pause);
    row("shared GPUs", "cuda+", 3, "", 6, 2, "",
        "cuda:0/gloo/2[0,1] cuda:1/gloo/2[0,1] cuda:0/gloo/2[0,1] on cuda:0,cuda:1");
    row("shared with others", "cuda+", 2, "", 4, 2, "cuda:0",
        "cuda:0/nccl/2[1,0] cuda:1/nccl/2[1,0] on cuda:1,cuda:0; GPUs are shared with another run, as "
        "--oversubscribe allows: cuda:0" +
            of_digits);
    row("pairs are shared", "cuda*2+", 2, "", 4, 3, "",
        "cuda:0/gloo/2[0,1] cuda:0/gloo/2[2,0] on cuda:0,cuda:1,cuda:2");
    row("too few for one", "cuda*3+", 1, "", 4, 2, "",
        "conflict: 1 replica with 3 GPUs, and there are 2 GPUs: ask for fewer for each by "
        "--devices-per-replica");
    row("one for a pair", "cuda*2+", 2, "", 4, 1, "",
        "conflict: 2 replicas with 2 GPUs each, and there is 1 GPU: ask for fewer for each by "
        "--devices-per-replica");
    row("another GPU", "cuda:7", 1, "", 4, 2, "",
        "conflict: the run asks for cuda:7, and this machine shows cuda:0-1");
    row("no GPU", "cuda", 1, "", 4, 0, "", "conflict: the run asks for CUDA and this machine shows no GPU");
    // Whatever there is.
    row("any GPUs", "auto", 2, "", 4, 2, "", "auto/auto/2[0,1] auto/auto/2[0,1] on cuda:0,cuda:1");
    row("any cores", "auto", 3, "", 6, 2, "",
        "auto/auto/2[] auto/auto/2[] auto/auto/2[] on cpu:0,cpu:1,cpu:2,cpu:3,cpu:4,cpu:5; 3 replicas train "
        "on "
        "cores, as 2 of 2 GPUs are free");
    row("any, and all is short", "auto", 2, "", 1, 1, "cuda:0",
        "auto/auto/1[] auto/auto/1[] on cpu:0; 2 replicas train on cores, as 0 of 1 GPU are free (held: "
        "cuda:0" +
            of_digits + "); 2 replicas share 1 core and will wait for one another");
    row("any pair", "auto*2", 1, "", 4, 2, "cuda:0",
        "auto/auto/2[] on cpu:0,cpu:1; 1 replica train on cores, as 1 of 2 GPUs are free (held: cuda:0" +
            of_digits + ")");
    // The request names them.
    row("named cores", "cpu", 0, "cpu:3 cpu:1", 4, 0, "", "cpu/auto/1 cpu/auto/1 on cpu:3,cpu:1");
    row("named for one", "cpu", 1, "cpu:3 cpu:1", 4, 0, "", "cpu/auto/2 on cpu:3,cpu:1");
    row("named beside GPUs", "auto", 0, "cpu:3", 4, 1, "", "auto/auto/1[] on cpu:3");
    row("named for cores beside GPUs", "cpu", 0, "cpu:3", 4, 1, "", "cpu/auto/1 on cpu:3");
    row("one named for two", "cpu", 2, "cpu:3", 4, 0, "",
        "cpu/auto/1 cpu/auto/1 on cpu:3; 2 replicas share 1 core and will wait for one another");
    row("one of them is held", "cpu", 0, "cpu:3 cpu:1", 4, 0, "cpu:3",
        "conflict: devices are held by another run: cpu:3" + of_digits);
    row("named GPUs", "cuda", 0, "cuda:2 cuda:0", 4, 3, "",
        "cuda:0/nccl/2[2,0] cuda:1/nccl/2[2,0] on cuda:2,cuda:0");
    row("one named GPU for two", "cuda", 2, "cuda:2", 4, 3, "", "conflict: 2 replicas on 1 GPU" + fewer);
    row("it may be shared", "cuda+", 2, "cuda:2", 4, 3, "", "cuda:0/gloo/2[2] cuda:0/gloo/2[2] on cuda:2");
    row("too many named", "cpu*2", 1, "cpu:0 cpu:1 cpu:2", 4, 0, "",
        "usage: 3 devices are named (cpu:0-2), and 1 replica with 2 cores needs 2: name as many");
    row("too few named", "cuda*2", 2, "cuda:0 cuda:1 cuda:2", 4, 3, "",
        "usage: 3 devices are named (cuda:0-2), and 2 replicas with 2 GPUs each need 4: name as many");
    row("mixed", "auto", 0, "cpu:0 cuda:0", 4, 1, "",
        "usage: a run trains on cores or on GPUs, not on both: cpu:0, cuda:0");
    row("GPUs for cores", "cpu", 0, "cuda:0", 4, 1, "",
        "conflict: the run trains on the device cpu, so it cannot use cuda:0");
    row("cores for GPUs", "cuda", 0, "cpu:0", 4, 1, "",
        "conflict: the run trains on the device cuda, so it cannot use cpu:0");
    row("no such core", "cpu", 0, "cpu:1 cpu:7", 4, 0, "",
        "conflict: this machine has no cpu:7; it has cpu:0-3");
    row("no such GPU", "auto", 0, "cuda:7", 4, 0, "", "conflict: this machine has no cuda:7; it has no GPU");
    row("none", "cpu", 0, "", 4, 0, "", "usage: a run needs at least 1 replica, not 0");
    row("nonsense", "abacus", 1, "", 4, 0, "", "usage: device 'abacus': expected auto, cpu, cuda or cuda:N");
  }
  void runsArePlaced() {
    QFETCH(QString, run);
    QFETCH(int, replicas);
    QFETCH(QString, named);
    QFETCH(int, cores);
    QFETCH(int, gpus);
    QFETCH(QString, held);
    const protocol::RunSpec spec = run_on(run);
    QString found;
    const std::string thrown = testing::thrown_by([&] {
      found = told(place(spec, Allocation(replicas, words(named), spec.devices_of_each()),
                         machine_with(cores, gpus), this->held(held)));
    });
    QTEST(found.isEmpty() ? QString::fromStdString(thrown) : found, "expected");
  }

  // n2 and n3 have two cores and two GPUs each.
  void runsArePlacedOverNodes_data() {
    const auto row = testing::columns<QString, int, QString, int, QString, QString>(
        {"run", "replicas", "named", "per_node", "held", "expected"});
    const QString slow =
        QStringLiteral(": they slow one another down until one is paused, stopped or given fewer replicas");
    row("here", "cpu", 1, "", 1, "", "cpu/auto/2 on cpu:0,cpu:1");
    row("not said how many", "cpu", 2, "", 0, "", "cpu/auto/1 cpu/auto/1 on cpu:0,cpu:1");
    row("one each", "cpu", 2, "", 1, "", "cpu/auto/2 n2/cpu/auto/2 on cpu:0,cpu:1,n2/cpu:0,n2/cpu:1");
    row("two each", "cpu", 5, "", 2, "",
        "cpu/auto/1 cpu/auto/1 n2/cpu/auto/1 n2/cpu/auto/1 n3/cpu/auto/2 on "
        "cpu:0,cpu:1,n2/cpu:0,n2/cpu:1,n3/cpu:0,n3/cpu:1");
    row("all of them", "cpu", 3, "", 1, "",
        "cpu/auto/2 n2/cpu/auto/2 n3/cpu/auto/2 on cpu:0,cpu:1,n2/cpu:0,n2/cpu:1,n3/cpu:0,n3/cpu:1");
    row("too many", "cpu", 4, "", 1, "", "conflict: 4 replicas on 3 nodes with 1 each: at most 3");
    row("shared there", "cpu", 3, "", 1, "n2/cpu:0 n2/cpu:1 n3/cpu:0 n3/cpu:1 cpu:0 cpu:1",
        "cpu/auto/2 n2/cpu/auto/2 n3/cpu/auto/2 on cpu:0,cpu:1,n2/cpu:0,n2/cpu:1,n3/cpu:0,n3/cpu:1; cores "
        "are "
        "shared with run digits (aaaaaaaa), run cifar (bbbbbbbb) of the queue" +
            slow +
            "; on node n2: cores are shared with run digits (aaaaaaaa), run cifar (bbbbbbbb) of the queue" +
            slow +
            "; on node n3: cores are shared with run digits (aaaaaaaa), run cifar (bbbbbbbb) of the queue" +
            slow);
    row("shared on one", "cpu", 2, "", 1, "n2/cpu:0 n2/cpu:1",
        "cpu/auto/2 n2/cpu/auto/2 on cpu:0,cpu:1,n2/cpu:0,n2/cpu:1; on node n2: cores are shared with run "
        "digits "
        "(aaaaaaaa), run cifar (bbbbbbbb) of the queue" +
            slow);
    row("held there", "cuda", 4, "", 2, "n2/cuda:1",
        "conflict: node n2: 2 replicas need a GPU each, and 1 of 2 is free (held: cuda:1 by run digits "
        "(aaaaaaaa)): ask for fewer, pause or stop the other run, or share with --oversubscribe");
    row("one is enough there", "cuda", 3, "", 2, "n2/cuda:0",
        "cuda:0/nccl/1[0,1] cuda:1/nccl/1[0,1] n2/cuda:0/nccl/2[1] on cuda:0,cuda:1,n2/cuda:1");
    row("gloo for all", "cuda+", 4, "", 3, "",
        "cuda:0/gloo/1[0,1] cuda:1/gloo/1[0,1] cuda:0/gloo/1[0,1] n2/cuda:0/gloo/2[0] on "
        "cuda:0,cuda:1,n2/cuda:0");
    row("named", "cuda", 0, "n3/cuda:1 cuda:0", 1, "",
        "cuda:0/nccl/2[0] n3/cuda:0/nccl/2[1] on cuda:0,n3/cuda:1");
    row("named elsewhere", "cpu", 0, "n3/cpu:1", 0, "cpu:0", "n3/cpu/auto/1 on n3/cpu:1");
    row("named here", "cpu", 0, "cpu:1", 1, "", "cpu/auto/1 on cpu:1");
    row("named pairs", "cuda*2", 0, "n2/cuda:0 n2/cuda:1 cuda:0 cuda:1", 1, "",
        "cuda:0/nccl/2[0,1] n2/cuda:0/nccl/2[0,1] on cuda:0,cuda:1,n2/cuda:0,n2/cuda:1");
    row("a device each", "cpu", 3, "cpu:0 n2/cpu:0", 1, "",
        "usage: 3 replicas on 2 devices of several nodes: each replica needs a device of its own there; name "
        "one for each");
    row("a pair each", "cpu*2", 1, "cpu:0 cpu:1 n2/cpu:0", 1, "",
        "usage: 1 replica on 3 devices of several nodes: each replica needs 2 devices of its own there; name "
        "2 "
        "for each");
    row("no such node", "cpu", 0, "cpu:0 n7/cpu:0", 1, "",
        "conflict: n7/cpu:0 cannot be used: node n7 is not there (the run has no agent on it; batchscope "
        "show "
        "RUN says why)");
    row("no such core there", "cpu", 0, "cpu:0 n2/cpu:7", 1, "",
        "conflict: node n2: this machine has no cpu:7; it has cpu:0-1");
    row("named is held there", "cpu", 0, "cpu:0 n2/cpu:1", 1, "n2/cpu:1",
        "conflict: node n2: devices are held by another run: cpu:1 by run digits (aaaaaaaa)");
  }
  void runsArePlacedOverNodes() {
    QFETCH(QString, run);
    QFETCH(int, replicas);
    QFETCH(QString, named);
    QFETCH(int, per_node);
    QFETCH(QString, held);
    const Nodes nodes{per_node, {{"n2", machine_with(2, 2)}, {"n3", machine_with(2, 2)}}};
    const protocol::RunSpec spec = run_on(run);
    QString found;
    const std::string thrown = testing::thrown_by([&] {
      found = told(place(spec, Allocation(replicas, words(named), spec.devices_of_each()), machine_with(2, 2),
                         &nodes, this->held(held)));
    });
    QTEST(found.isEmpty() ? QString::fromStdString(thrown) : found, "expected");
  }

  void aNodeAloneIsOneNode() {
    const Nodes nodes{1, {}};
    QCOMPARE(testing::thrown_by([&] { place(run_on("cpu"), 2, machine_with(2, 0), &nodes, {}); }),
             "conflict: 2 replicas on 1 node with 1 each: at most 1");
  }

  void roomIsForWholeReplicas() {
    const Machine machine = machine_with(7, 5);
    for (const auto& [run, room] : {std::pair("cpu", 7),
                                    {"auto", 7},
                                    {"cpu*2", 3},
                                    {"cuda", 5},
                                    {"cuda*2", 2},
                                    {"cuda*6", 0},
                                    {"cuda:3", 1}})
      QCOMPARE(room_for_replicas(run_on(run), machine), room);
  }

  // The pool gives each replica devices of its own, of those that it has.
  void whatThePoolWouldNeverGiveIsRefused() {
    StoredRuns runs;
    runs.catalogue().change_pool_settings([](auto& settings) {
      settings.here = false;
      settings.agents = "n2";
    });
    const auto refused = [&](const char* run, int replicas) {
      return testing::thrown_by([&] { insist_on_devices(run_on(run), replicas, runs.catalogue()); });
    };
    const QByteArray of_cores =
        "conflict: 1 replica is too many: the pool gives each a core of its own, and "
        "this machine has only 0; ask for fewer";
    QCOMPARE(refused("auto", 1), of_cores.toStdString());
    protocol::PoolNode node{"n2"};
    node.there = true;
    node.cores = {"cpu:0", "cpu:1", "cpu:2"};
    node.gpus = {"cuda:0", "cuda:1"};
    runs.catalogue().put_pool_nodes({node});
    QVERIFY(pool_machine(runs.catalogue()).gpus == (Devices{"n2/cuda:0", "n2/cuda:1"}));
    node.there = false;
    runs.catalogue().put_pool_nodes({node});
    QCOMPARE(refused("auto", 1), of_cores.toStdString());
    node.there = true;
    runs.catalogue().put_pool_nodes({node});
    QCOMPARE(refused("cpu", 3), "nothing was thrown");
    QCOMPARE(refused("cpu", 4),
             "conflict: 4 replicas are too many: the pool gives each a core of its own, and "
             "this machine has only 3; ask for fewer");
    QCOMPARE(refused("cpu*2", 1), "nothing was thrown");
    QCOMPARE(refused("cpu*2", 2),
             "conflict: 2 replicas are too many: the pool gives each 2 cores of its own, "
             "and this machine has only 3; ask for fewer");
    QCOMPARE(refused("auto", 2), "nothing was thrown");
    QCOMPARE(refused("auto", 3),
             "conflict: 3 replicas are too many: the pool gives each a GPU of its own, and "
             "this machine has only 2; ask for fewer");
    QCOMPARE(refused("cuda*3", 1),
             "conflict: 1 replica is too many: the pool gives each 3 GPUs of its own, and "
             "this machine has only 2; ask for fewer");
    runs.catalogue().change_pool_settings([](auto& settings) { settings.nodes_from = "true"; });
    QCOMPARE(refused("cpu", 4000), "nothing was thrown");  // nobody knows how many there will be
    QCOMPARE(
        std::string(devices_are_the_pools("aaaaaaaa").what()),
        "run aaaaaaaa is in the queue, and the pool chooses its devices: resume it without --devices, and "
        "when it trains, call batchscope rescale aaaaaaaa --devices ..");
  }

  void aDeviceSaysOnWhichNodeItIs() {
    for (const auto& [device, node] : {std::pair("n2/cuda:0", "n2"),
                                       {"n2/cpu:0", "n2"},
                                       {"cpu:0", ""},
                                       {"cuda:MIG-GPU/1/2", ""},
                                       {"n2/cuda:MIG-GPU/1/2", "n2"},
                                       {"nonsense", ""}})
      QCOMPARE(node_of_device(device), node);
    for (const char* const gpu : {"cuda:0", "n2/cuda:0", "cuda:GPU-ab"}) QVERIFY(is_gpu(gpu));
    for (const char* const other : {"cpu:0", "n2/cpu:0", "cuda", "n2/cud:0", ""}) QVERIFY(!is_gpu(other));
  }

  void nodesThatAreIdleAreKeptForAsLongAsSomebodySays() {
    const auto forget = qScopeGuard([] { qunsetenv("BATCHSCOPE_IDLE_NODES"); });
    for (const auto& [said, seconds] : {std::pair("", 300.0),
                                        {"0", 0.0},
                                        {"0.5", 0.5},
                                        {"90", 90.0},
                                        {"-1", 300.0},
                                        {"soon", 300.0},
                                        {"keep", std::numeric_limits<double>::infinity()}}) {
      qputenv("BATCHSCOPE_IDLE_NODES", said);
      QCOMPARE(idle_node_patience(), seconds);
    }
  }

  void listsOfDevicesSayHowManyThreadsThatIs() {
    QCOMPARE(device_list({"cpu:0", "cpu:1", "cpu:2", "cpu:3"}, 2), "cpu:0-3 (2 threads each)");
    QCOMPARE(device_list({"cpu:0", "cpu:1"}, 1), "cpu:0-1 (2 threads)");
    QCOMPARE(device_list({"cpu:0", "cpu:1"}, 2), "cpu:0-1");
    QCOMPARE(device_list({"cpu:0", "cpu:1"}, 0), "cpu:0-1");
    QCOMPARE(device_list({"cuda:0", "cuda:1"}, 1), "cuda:0-1");
    QCOMPARE(device_list({"cpu:3", "cuda:4", "cuda:3"}), "cpu:3, cuda:4, cuda:3");
    QCOMPARE(device_list({"n2/cpu:0", "n2/cpu:1", "n3/cpu:2"}), "n2/cpu:0-1, n3/cpu:2");
  }
};

BATCHSCOPE_TEST(TestPlacementTables)
#include "test_placement_tables.moc"
