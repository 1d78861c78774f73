// SPDX-License-Identifier: Apache-2.0
//
// The supervisor's use of decisions about its number of replicas; the decisions themselves are tested in the
// goodput room.
#include <cmath>

#include "devices/placement.h"
#include "machines.h"
#include "model/auto_scaling.h"
#include "paying_model.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

const protocol::Model kModel = testing::paying_model(1, 100, 16);

protocol::RunSpec automatic(int min, int max) {
  protocol::RunSpec spec;
  spec.auto_replicas = protocol::AutoReplicas{min, max};
  return spec;
}

// Where a run comes to in time that may have so many.
int reaches(AutoScaling& scaling, int from, int most, double now = 0, const protocol::Model& model = kModel) {
  goodput::RunContext at;
  at.replicas = at.max_profiled_replicas = from;
  for (int i = 0; i < 50; ++i) {
    at.replicas = scaling.consider(model, at, most, now).replicas.value_or(at.replicas);
    at.max_profiled_replicas = at.replicas;
  }
  return at.replicas;
}

Machine held(Machine machine, std::vector<std::string> devices) {
  std::vector<storage::Lease> leases;
  for (const std::string& device : devices) leases.push_back({device, "aaaaaaaa", "digits"});
  return free_devices(machine, leases);
}

}  // namespace

class TestAutoScaling : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMoveIsToldWithItsNumbers() {
    AutoScaling scaling(automatic(1, 4));
    const goodput::RunContext at{1, 1, 0.25, 60};
    protocol::Model model = kModel;
    model.max_batch_size = 64;
    model.perf->alpha_r = 0.045;  // s: two replicas pay, but not much
    const auto first = scaling.consider(model, at, 4, 0);
    QVERIFY(!first.replicas);
    QCOMPARE(first.event,
             "auto: stays on 1 replica for now, as 2 more models must find another number better");
    QVERIFY(scaling.consider(model, at, 4, 0).event.empty());  // told once
    const auto move = scaling.consider(model, at, 4, 0);
    QCOMPARE(move.replicas, std::optional(2));
    const QRegularExpression words("^auto: from 1 to 2 replicas, for [0-9]+ % more goodput$");
    QVERIFY2(words.match(QString::fromStdString(move.event)).hasMatch(), move.event.c_str());
    const QString figures = QString::fromStdString(move.figures);
    const auto number_before = [](const QString& text, const char* words) {
      const QString part = text.section(QLatin1String(words), 0, 0).section(' ', -1);
      return QString(part).remove(',').toDouble();
    };
    const double one = number_before(figures, " samples/s on 1 "),
                 two = number_before(figures, " samples/s on 2 "),
                 percent = number_before(QString::fromStdString(move.event), " % more");
    QVERIFY(one > 0 && two > one);
    QVERIFY2(std::abs(percent - 100 * (two / one - 1)) < 1, move.event.c_str());  // of rounded numbers
    for (const char* part :
         {"samples/s on 1 (1.00 a replica)", "samples/s on 2 (",
          "a restart takes 0.25 s, to be won back within 60 s", "efficiency floor 0.5", "at most 2 replicas"})
      QVERIFY2(figures.contains(part), qPrintable(figures));
    scaling.begin_generation();
    QVERIFY(!scaling.consider(model, {2, 2, 0.25, 60}, 4, 0).event.empty());
  }

  void aRunThatStaysOrLeavesSaysWhichLimitDecides() {
    protocol::RunSpec spec = automatic(1, 4);
    spec.efficiency_floor = 1;
    const auto told = [&](int from, int most) {
      return AutoScaling(spec).consider(kModel, {from, from, 0.25, 60}, most, 0).event;
    };
    QCOMPARE(told(1, 4), "auto: stays on 1 replica for now, as more would be below the efficiency floor");
    QCOMPARE(told(1, 1), "auto: stays on 1 replica for now, as its limits allow no other number");
    QCOMPARE(told(4, 1), "auto: from 4 to 1 replica, as it may have no more than 1");
    spec = automatic(1, 2);
    QCOMPARE(told(2, 2), "auto: stays on 2 replicas for now, as no other number is clearly better");
  }

  void theCandidatesThatTellMostAreListed() {
    AutoScaling scaling(automatic(1, 13));
    const auto told = scaling.consider(kModel, {5, 7, 0.25, 60}, 13, 0);
    std::string listed;
    const QRegularExpression candidate("on ([0-9]+) \\(");
    for (auto found = candidate.globalMatch(QString::fromStdString(told.figures)); found.hasNext();)
      listed += found.next().captured(1).toStdString() + " ";
    QCOMPARE(listed, "1 2 4 5 8 13 ");  // doublings, the present and the most, of 14 that twice 7 allow
    VERIFY_HOLDS(told.figures, "at most 13 replicas");
  }

  void whoLeavesSaysWhy() {
    protocol::RunSpec spec = automatic(1, 8);
    spec.efficiency_floor = 1;
    protocol::Model costly = kModel;
    costly.max_batch_size = 64;
    costly.perf->alpha_r = 0.02;  // s, for each reduction
    const auto moves = [&](AutoScaling& scaling, int from, int most) {
      for (int model = 0; model < 9; ++model)
        if (const auto move = scaling.consider(costly, {from, from, 0.25, 60}, most, 0); move.replicas)
          return move.event;
      return std::string("stays");
    };
    AutoScaling floored(spec), bounded(automatic(3, 4));
    QCOMPARE(QString::fromStdString(moves(floored, 4, 8)),
             "auto: from 4 to 1 replica, as 4 are below the efficiency floor");
    QCOMPARE(QString::fromStdString(moves(bounded, 2, 4)),
             "auto: from 2 to 4 replicas, as it is to have at least 3");
  }

  // A person may move it there all the same.
  void whereItIsIsNeverRefused() {
    AutoScaling scaling(automatic(1, 4));
    scaling.refuse(4, 0);
    QCOMPARE(reaches(scaling, 4, 4), 4);
  }

  // Links between nodes are slow here: what fits on one node pays, and no more.
  void replicasOfOtherNodesPayForTheirLinks() {
    protocol::Model model = kModel;
    model.max_batch_size = 64;
    model.perf->alpha_n = 1;  // s
    for (const auto& [per_node, most] : {std::pair(0, 4), {1, 1}, {2, 2}, {3, 3}, {4, 4}}) {
      AutoScaling scaling(automatic(1, 4));
      goodput::RunContext at{1, 4, 0.25, 600};
      for (int i = 0; i < 20; ++i)
        at.replicas = scaling.consider(model, at, 4, 0, per_node).replicas.value_or(at.replicas);
      QCOMPARE(at.replicas, most);
    }
  }

  // Each replica has several devices.
  void theMostIsOfWholeReplicas() {
    const Machine machine = machine_with(9, 5);
    const auto most = [&](const char* device, int max, const Machine& free, int present = 0) {
      protocol::RunSpec spec = automatic(1, max);
      spec.device = device;
      spec.devices_per_replica = 2;
      return most_replicas(spec, machine, free, present);
    };
    QCOMPARE(most("cuda", 0, machine), 2);
    QCOMPARE(most("cuda", 4, machine), 2);
    QCOMPARE(most("cpu", 0, machine), 4);
    QCOMPARE(most("cpu", 6, machine), 6);
    QCOMPARE(most("cpu", 6, held(machine, {"cpu:0", "cpu:1", "cpu:2"})), 3);
    QCOMPARE(most("cpu", 6, held(machine, {"cpu:0"})), 6);  // one is left over anyway
    QCOMPARE(most("cuda", 0, held(machine, {"cuda:0", "cuda:1"}), 2), 2);
    QCOMPARE(most("cuda", 0, held(machine, {"cuda:0", "cuda:1"})), 1);
    QCOMPARE(most_replicas({}, machine, machine), 9);  // of a run that is not left to it
  }

  // Each replica's batch is the program's: more replicas take more samples a step.
  void aBatchSizeThatFollowsTheReplicasIsPredictedAsItIs() {
    protocol::Model model = kModel;
    model.max_batch_size = model.max_local_batch_size = 0;
    model.accumulation = false;
    model.micro_batches = 2;
    AutoScaling scaling(automatic(1, 4));
    QCOMPARE(reaches(scaling, 1, 4, 0, model), 4);
    model.grad_sqr = 1e4;  // larger batches teach nothing
    QCOMPARE(reaches(scaling, 4, 4, 0, model), 1);
  }

  void theMachineIsTheMost() {
    const Machine three = machine_with(3, 0), two_gpus = machine_with(8, 2);
    QCOMPARE(most_replicas(automatic(1, 0), three, three), 3);
    QCOMPARE(most_replicas(automatic(1, 5), three, three), 5);  // cores are shared where a person says so
    QCOMPARE(most_replicas(automatic(1, 2), three, three), 2);
    protocol::RunSpec cuda = automatic(1, 5);
    cuda.device = "cuda";
    QCOMPARE(most_replicas(cuda, two_gpus, two_gpus), 2);
    cuda.oversubscribe = true;
    QCOMPARE(most_replicas(cuda, two_gpus, two_gpus), 5);
  }

  void whatOthersHoldIsNotCounted() {
    const Machine cores = machine_with(4, 0), gpus = machine_with(8, 3);
    QCOMPARE(most_replicas(automatic(1, 0), cores, held(cores, {"cpu:1"})), 3);
    QCOMPARE(most_replicas(automatic(1, 5), cores, held(cores, {"cpu:1"})), 3);
    QCOMPARE(most_replicas(automatic(1, 0), cores, held(cores, {"cpu:1"}), 4), 4);  // what it has it keeps
    QCOMPARE(most_replicas(automatic(1, 2), cores, held(cores, {"cpu:1"}), 4), 2);
    QCOMPARE(most_replicas(automatic(1, 0), cores, held(cores, {"cpu:1"}), 8), 4);
    QCOMPARE(most_replicas(automatic(2, 4), cores, held(cores, {"cpu:0", "cpu:1", "cpu:2"})), 2);
    protocol::RunSpec cuda = automatic(1, 0);
    cuda.device = "cuda";
    QCOMPARE(most_replicas(cuda, gpus, held(gpus, {"cuda:0", "cuda:2"})), 1);
  }

  void aFirstGenerationTakesWhatIsFree() {
    const Machine gpus = machine_with(8, 3);
    const Machine left = held(gpus, {"cuda:0"});
    QCOMPARE(first_replicas(automatic(1, 0), 3, gpus, gpus), 3);
    QCOMPARE(first_replicas(automatic(1, 0), 3, gpus, left), 2);
    QCOMPARE(first_replicas(automatic(3, 4), 3, gpus, left), 3);
    QCOMPARE(first_replicas({}, 3, gpus, left), 3);
    QCOMPARE(first_replicas(automatic(1, 0), 8, gpus, held(gpus, {"cuda:0", "cuda:1", "cuda:2"})), 8);
  }

  void theMostFollowsTheFreeDevices() {
    AutoScaling scaling(automatic(1, 0));
    QCOMPARE(reaches(scaling, 1, 1), 1);
    QCOMPARE(reaches(scaling, 1, 3), 3);
    QCOMPARE(reaches(scaling, 3, 2), 2);
  }

  void noReplicaBeyondTheDevicesPays() {
    AutoScaling scaling(automatic(1, 8));
    protocol::Model three = kModel;
    three.devices = 3;
    QCOMPARE(reaches(scaling, 1, 8, 0, three), 3);
    QCOMPARE(reaches(scaling, 3, 8), 8);
  }

  void aMoveThatDoesNotPayIsUndone() {
    constexpr double kPatience = AutoScaling::kPatience;
    const MeasuredRate before{.steps = 20, .goodput = 24'000}, as_fast{.goodput = 23'500},
        slower{.goodput = 21'000};
    AutoScaling scaling(automatic(1, 2));
    QVERIFY(!scaling.judge(1, before, 2, as_fast, 0));
    QVERIFY(!scaling.judge(1, before, 2, {.goodput = std::numeric_limits<double>::quiet_NaN()}, 0));
    QVERIFY(!scaling.judge(2, before, 2, slower, 0));  // where it has not moved
    QVERIFY(!AutoScaling(automatic(1, 2)).judge(1, before, 2, {.goodput = 0.971 * 24'000}, 0));
    QVERIFY(AutoScaling(automatic(1, 2)).judge(1, before, 2, {.goodput = 0.969 * 24'000}, 0));
    for (const auto& [steps, share] : {std::pair(1000, 0.97), {5, 0.94}, {1, 1 - 0.03 * std::sqrt(20)}})
      for (const double off : {-0.001, 0.001})
        QCOMPARE(AutoScaling(automatic(1, 2))
                     .judge(1, {.steps = steps, .goodput = 100}, 2, {.goodput = 100 * (share + off)}, 0)
                     .has_value(),
                 off < 0);  // few steps before it say less
    QCOMPARE(scaling.judge(1, before, 2, slower, 0),
             std::optional<std::string>(
                 "auto: back to 1 replica, where goodput was 24,000 samples/s; it is 21,000 on 2"));
    QCOMPARE(reaches(scaling, 1, 2, kPatience - 1), 1);
    QCOMPARE(reaches(scaling, 1, 2, kPatience), 2);
    QVERIFY(scaling.judge(1, before, 2, slower, kPatience));  // each time twice as long
    QCOMPARE(reaches(scaling, 1, 2, 3 * kPatience - 1), 1);
    QCOMPARE(reaches(scaling, 1, 2, 3 * kPatience), 2);
  }

  void aRefusedCountIsTriedAgainLater() {
    constexpr double kPatience = AutoScaling::kPatience;
    AutoScaling scaling(automatic(1, 2));
    scaling.refuse(2, 0);
    QCOMPARE(reaches(scaling, 1, 2, kPatience - 1), 1);
    QCOMPARE(reaches(scaling, 1, 2, kPatience), 2);
    scaling.begin_generation();
    AutoScaling twice(automatic(1, 2));
    twice.refuse(2, 0);
    twice.refuse(2, kPatience);
    QCOMPARE(reaches(twice, 1, 2, 3 * kPatience - 1), 1);
    QCOMPARE(reaches(twice, 1, 2, 3 * kPatience), 2);
  }
};

BATCHSCOPE_TEST(TestAutoScaling)
#include "test_auto_scaling.moc"
