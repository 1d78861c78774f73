// SPDX-License-Identifier: Apache-2.0
//
// Step time, throughput, efficiency and goodput: golden vectors, closed forms, and where the model is
// undefined.
#include <limits>
#include <random>

#include "golden.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::goodput;
namespace golden = batchscope::golden;

Q_DECLARE_METATYPE(Bounds)
Q_DECLARE_METATYPE(Devices)

class TestModel : public QObject {
  Q_OBJECT

  static constexpr PerfParams kPerf{0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 1.14};

 private Q_SLOTS:
  void goldenEvaluations() {
    const auto vectors = golden::load("goodput.json");
    for (const auto& item : vectors.at("cases")) {
      const auto& grad = item.at("grad_params");
      const GoodputFunction goodput(golden::perf_params(item.at("perf_params")),
                                    {grad.at("sqr"), grad.at("var")}, item.at("init_batch_size"));
      for (const auto& call : item.at("evaluate")) {
        const Configuration at{call.at("num_nodes"), call.at("num_replicas"), call.at("atomic_bsz"),
                               call.at("accum_steps")};
        VERIFY_CLOSE(call.dump() + " throughput", goodput.throughput(at), call.at("throughput"));
        VERIFY_CLOSE(call.dump() + " efficiency", goodput.efficiency(call.at("batch_size")),
                     call.at("efficiency"));
        VERIFY_CLOSE(call.dump() + " goodput", goodput.evaluate(at), call.at("goodput"));
      }
    }
  }

  void aChoiceReachesTwiceTheLargestMeasured() {
    const auto reach = [](const Bounds& bounds, std::int64_t largest) {
      return within_reach(bounds, largest, 73, 2).max_local;
    };
    QCOMPARE(reach({}, 0), 0);  // nothing was measured
    QCOMPARE(reach({.max_local = 10}, 0), 10);
    QCOMPARE(reach({}, 36), 72);
    QCOMPARE(reach({.max_local = 71}, 36), 71);
    QCOMPARE(reach({.max_local = 73}, 36), 72);
    QCOMPARE(reach({}, 1), 37);  // each replica's share of the initial batch size
    QCOMPARE(reach({.min_local = 50}, 1), 50);
    QCOMPARE(reach({.min_local = 50, .max_local = 20}, 1), 20);
    const Bounds kept = within_reach({1024, 4, 0, true, true}, 36, 73, 2);
    QVERIFY(kept.max_batch_size == 1024 && kept.min_local == 4 && kept.accumulation && kept.single_gradient);
  }

  void withoutOverlapTimesAdd() {
    PerfParams perf = kPerf;
    perf.gamma = 1;
    const double compute = 0.121 + 0.00568 * 64;
    VERIFY_CLOSE("accumulation", accumulation_time(perf, 64), compute);
    VERIFY_CLOSE("sync within a node", sync_time(perf, 1, 6), 0.0118 + 0.00317 * 4);
    VERIFY_CLOSE("sync between nodes", sync_time(perf, 2, 6), 0.0236 + 0.00634 * 4);
    VERIFY_CLOSE("step", step_time(perf, {1, 6, 64, 3}), 4 * compute + 0.0118 + 0.00317 * 4);
  }

  void withFullOverlapTheLongerCounts() {
    PerfParams perf = kPerf;
    perf.gamma = 10;
    const double step = step_time(perf, {1, 2, 64, 0});
    QVERIFY(step >= accumulation_time(perf, 64));
    QVERIFY(step < accumulation_time(perf, 64) * 1.001);
  }

  void replicasBeyondTheDevicesTakeTurns_data() {
    const auto row = batchscope::testing::columns<int, int, double>({"replicas", "devices", "times"});
    row("one each, as far as is known", 8, 0, 1);
    row("fewer than devices", 1, 2, 1);
    row("one each", 2, 2, 1);
    row("two each", 4, 2, 2);
    row("not evenly", 5, 2, 2.5);
    row("all on one", 3, 1, 3);
  }

  void replicasBeyondTheDevicesTakeTurns() {
    QFETCH(const int, replicas);
    QFETCH(const int, devices);
    QFETCH(const double, times);
    const Configuration at{1, replicas, 64, 1};
    QCOMPARE(sharing(replicas, devices), times);
    VERIFY_CLOSE("step", step_time(kPerf, at, Devices{devices}), times * step_time(kPerf, at));
    const GoodputFunction alone(kPerf, {1, 10}, 128), here(kPerf, {1, 10}, 128, Devices{devices});
    VERIFY_CLOSE("throughput", here.throughput(at), alone.throughput(at) / times);
    VERIFY_CLOSE("goodput", here.evaluate(at), alone.evaluate(at) / times);
  }

  void coresAndNeighboursOfReplicas_data() {
    const auto row =
        batchscope::testing::columns<Devices, int, int, int>({"devices", "replicas", "cores", "neighbours"});
    row("a device each", Devices{}, 4, 1, 4);
    row("GPUs", Devices{4}, 2, 1, 2);
    row("a lone one has all cores", Devices{4, true}, 1, 4, 1);
    row("two divide them", Devices{4, true}, 2, 2, 2);
    row("rounded down", Devices{4, true}, 3, 1, 3);
    row("more than cores", Devices{4, true}, 9, 1, 4);
    row("a fixed number", Devices{0, false, 3}, 2, 3, 2);
    row("turns on one", Devices{1}, 3, 1, 1);
  }

  void coresAndNeighboursOfReplicas() {
    QFETCH(const Devices, devices);
    QFETCH(const int, replicas);
    QTEST(devices.cores(replicas), "cores");
    QTEST(devices.neighbours(1, replicas), "neighbours");
    QCOMPARE(devices.neighbours(9, replicas), 1);
  }

  void coresAndNeighboursEnterTheMicroBatch() {
    PerfParams perf = kPerf;
    perf.core_exponent = 0.5;
    perf.core_overhead = 0.01;
    perf.contention = 0.2;
    VERIFY_CLOSE("one core, alone", accumulation_time(perf, 64), accumulation_time(kPerf, 64));
    VERIFY_CLOSE("four cores", accumulation_time(perf, 64, 4),
                 perf.alpha_c + 2 * 0.01 + perf.beta_c * 64 / 2);
    VERIFY_CLOSE("three replicas", accumulation_time(perf, 64, 1, 3), 1.4 * accumulation_time(kPerf, 64));
    perf.gamma = 1;
    const Configuration at{1, 2, 64, 0};
    VERIFY_CLOSE("step", step_time(perf, at, {8, true}),
                 accumulation_time(perf, 64, 4, 2) + sync_time(perf, 1, 2));
  }

  // Eight cores, of which each doubling costs 10 ms: four are the fastest for 64 samples, one for a single.
  void aLoneReplicaMayKeepTheFastestOfItsCores() {
    PerfParams perf = kPerf;
    perf.beta_c = 1e-3;
    perf.core_exponent = 1;
    perf.core_overhead = 0.01;
    const Devices fastest{8, true, 1, true};
    const Configuration at{1, 1, 64, 2}, small{1, 1, 1, 0}, two{1, 2, 64, 0}, few{1, 1, 30, 0},
        many{1, 1, 1024, 0};
    VERIFY_CLOSE("four", step_time(perf, at, fastest), step_time(perf, at, fastest.with_cores(4)));
    VERIFY_CLOSE("one", step_time(perf, small, fastest), step_time(perf, small, fastest.with_cores(1)));
    VERIFY_CLOSE("two", step_time(perf, few, fastest), step_time(perf, few, fastest.with_cores(2)));
    VERIFY_CLOSE("all", step_time(perf, many, fastest), step_time(perf, many, fastest.with_cores(8)));
    VERIFY_CLOSE("two divide them", step_time(perf, two, fastest), step_time(perf, two, {8, true}));
    QCOMPARE(computing_cores(kPerf, 64, fastest, 1), 8);  // as fast on all as on one
  }

  void theUpdateComesOnceAStep() {
    PerfParams perf = kPerf;
    perf.update = 0.25;
    for (const int accumulation : {0, 3}) {
      const Configuration at{1, 2, 64, accumulation};
      VERIFY_CLOSE("alone", step_time(perf, at), step_time(kPerf, at) + 0.25);
      VERIFY_CLOSE("in turns", step_time(perf, at, Devices{1}), 2 * step_time(perf, at));
    }
  }

  void noNumberOfReplicasBeatsTheDevices() {
    for (const bool accumulation : {false, true})
      for (int devices = 1; devices <= 4; ++devices) {
        const GoodputFunction here(kPerf, {1, 10}, 128, Devices{devices});
        const Bounds bounds{4096, 1, 0, accumulation, true};
        const double most = here.optimize(1, devices, bounds).goodput;
        for (int replicas = devices + 1; replicas <= 16; ++replicas)
          QVERIFY(here.optimize(1, replicas, bounds).goodput <= most * (1 + 1e-9));
      }
  }

  void oneReplicaDoesNotSynchronise() { QVERIFY(sync_time(kPerf, 1, 1) < 1.1e-8); }

  void efficiencyFallsFromOne() {
    const GoodputFunction goodput(kPerf, {0.00136, 0.000502}, 128);
    QCOMPARE(goodput.efficiency(0), 1.0);
    QCOMPARE(goodput.efficiency(64), 1.0);
    QCOMPARE(goodput.efficiency(128), 1.0);
    for (std::int64_t batch = 128; batch < 100'000; batch *= 2) {
      QVERIFY(goodput.efficiency(2 * batch) < goodput.efficiency(batch));
      QVERIFY(goodput.efficiency(2 * batch) > 0.49 * goodput.efficiency(batch));
    }
  }

  void noNoiseMakesLargerBatchesUselessAndOnlyNoiseFree() {
    VERIFY_CLOSE("var 0", GoodputFunction(kPerf, {1, 0}, 100).efficiency(400), 0.25);
    VERIFY_CLOSE("sqr 0", GoodputFunction(kPerf, {0, 1}, 100).efficiency(400), 1);
    VERIFY_CLOSE("both 0", GoodputFunction(kPerf, {0, 0}, 100).efficiency(400), 0.25);
    for (const int initial : {1, 0}) QCOMPARE(GoodputFunction(kPerf, {1, 0}, initial).efficiency(4), 0.25);
  }

  void aThousandthOfTheSpeedIsNotNone() {
    PerfParams perf = kPerf;
    perf.gamma = 1;
    perf.alpha_c = 1000;
    const GoodputFunction goodput(perf, {1, 1}, 64);
    VERIFY_CLOSE("slow", goodput.throughput({1, 1, 64, 0}), 64 / (1000 + 64 * perf.beta_c));
  }

  void undefinedIsZero() {
    const GoodputFunction goodput(kPerf, {1, 1}, 128);
    for (const Configuration& at :
         {Configuration{0, 1, 1, 0}, Configuration{1, 0, 1, 0}, Configuration{2, 1, 1, 0},
          Configuration{1, 1, 0, 0}, Configuration{1, 1, 1, -1}}) {
      QCOMPARE(goodput.throughput(at), 0.0);
      QCOMPARE(goodput.evaluate(at), 0.0);
    }
    QCOMPARE(GoodputFunction({}, {1, 1}, 128).evaluate({1, 2, 64, 0}), 0.0);
    QCOMPARE(step_time({}, {1, 2, 64, 0}), 0.0);
  }

  // The initial batch in equal parts, in as many micro-batches as are needed.
  void theFirstStepIsTheInitialBatch_data() {
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("replicas");
    QTest::addColumn<Bounds>("bounds");
    QTest::addColumn<int>("local");
    QTest::addColumn<int>("accumulations");
    QTest::newRow("shared") << 96 << 2 << Bounds{} << 48 << 0;
    QTest::newRow("rounded up") << 7 << 2 << Bounds{} << 4 << 0;
    QTest::newRow("rounded up, with room for it") << 7 << 2 << Bounds{.max_batch_size = 8} << 4 << 0;
    QTest::newRow("rounded down to the bound") << 7 << 2 << Bounds{.max_batch_size = 7} << 3 << 0;
    QTest::newRow("in micro-batches") << 96 << 2 << Bounds{.max_local = 16} << 16 << 2;
    QTest::newRow("in micro-batches, to the bound")
        << 50 << 2 << Bounds{.max_batch_size = 50, .max_local = 10} << 8 << 2;
    QTest::newRow("no less than a replica takes")
        << 4 << 2 << Bounds{.max_batch_size = 64, .min_local = 8} << 8 << 0;
    QTest::newRow("less, as the bound is nearer")
        << 4 << 2 << Bounds{.max_batch_size = 10, .min_local = 8} << 5 << 0;
    QTest::newRow("a sample at a time") << 6 << 2 << Bounds{.max_local = 1} << 1 << 2;
    QTest::newRow("no bound to be no less within") << 4 << 2 << Bounds{.min_local = 8} << 2 << 0;
    QTest::newRow("at least one sample") << 1 << 4 << Bounds{.max_batch_size = 2} << 1 << 0;
  }
  void theFirstStepIsTheInitialBatch() {
    QFETCH(int, batch);
    QFETCH(int, replicas);
    QFETCH(Bounds, bounds);
    const Configuration first = initial_configuration(batch, replicas, bounds);
    QCOMPARE(first.num_nodes, 1);
    QCOMPARE(first.num_replicas, replicas);
    QTEST(static_cast<int>(first.local_batch_size), "local");
    QTEST(first.accumulation_steps, "accumulations");
  }

  void neverNaN() {
    std::mt19937_64 random(1);
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const double values[] = {0, -1, 1e-300, 1e-8, 0.1, 1, 1e300, inf, nan};
    const auto pick = [&] { return values[random() % std::size(values)]; };
    for (int trial = 0; trial < 20'000; ++trial) {
      const PerfParams perf{pick(), pick(), pick(), pick(), pick(), pick(), pick()};
      const GoodputFunction goodput(perf, {pick(), pick()}, static_cast<std::int64_t>(random() % 300) - 10);
      const int replicas = 1 + static_cast<int>(random() % 64);
      const double value = goodput.evaluate(
          {1, replicas, 1 + static_cast<std::int64_t>(random() % 512), static_cast<int>(random() % 8)});
      QVERIFY(std::isfinite(value) && value >= 0);
    }
  }
};

BATCHSCOPE_TEST(TestModel)
#include "test_model.moc"
