// SPDX-License-Identifier: Apache-2.0
//
// How fast a run is said to train now, and when a restart is said to have brought what was predicted of it.
#include <QTemporaryDir>
#include <cmath>
#include <filesystem>
#include <limits>

#include "batchscope/protocol/series.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/run/number_text.h"
#include "batchscope/storage/samples.h"
#include "model/restart_forecast.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

namespace series = protocol::series;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

protocol::Model model() {
  protocol::Model m;
  m.perf = {0.01, 0.0002, 0, 0, 0.002, 0.0005, 1.5};
  m.grad_sqr = 1;
  m.grad_var = 20;
  m.init_batch_size = 64;
  m.max_batch_size = 1024;
  m.accumulation = true;
  return m;
}

protocol::Steps steps_of(int count, double seconds, double batch_size, double efficiency = 0.5) {
  const auto column = [&](double value) {
    return std::vector<double>(static_cast<std::size_t>(count), value);
  };
  return {1,
          {{series::kStepTime, column(seconds)},
           {series::kBatchSize, column(batch_size)},
           {series::kEfficiency, column(efficiency)}},
          0};
}

}  // namespace

class TestMeasuredRate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void outliersAreLeftOut() {
    std::vector<MeasuredStep> steps(40, {0.01, 100, 0.5});
    steps[3].seconds = steps[17].seconds = 2;  // the disk was busy
    const auto rate = measured_rate(steps);
    QCOMPARE(rate->steps, 40);
    QCOMPARE(rate->step_time, 0.01);
    QCOMPARE(rate->throughput, 10000.0);
    QCOMPARE(rate->goodput, 5000.0);
  }

  void timesThatAlternateAreAveraged() {
    std::vector<MeasuredStep> steps;
    for (int i = 0; i < 100; ++i) steps.push_back({i % 2 == 0 ? 0.005 : 0.015, 100, 1});
    QCOMPARE(measured_rate(steps)->throughput, 10000.0);
  }

  void theLastStepOfAPassCountsItsSamples() {
    std::vector<MeasuredStep> steps;
    for (int i = 0; i < 100; ++i)
      steps.push_back(i % 4 == 3 ? MeasuredStep{0.002, 100, 1, 20} : MeasuredStep{0.01, 100, 1, 100});
    const auto rate = measured_rate(steps);
    QCOMPARE(rate->throughput, 10000.0);
    QCOMPARE(rate->step_time, 0.01);
  }

  void efficiencyIsThatOfASample() {
    std::vector<MeasuredStep> steps;
    for (int i = 0; i < 100; ++i)
      steps.push_back(i % 4 == 3 ? MeasuredStep{0.01, 100, 1, 20} : MeasuredStep{0.01, 100, 0.5, 100});
    QCOMPARE(measured_rate(steps)->efficiency, (3 * 100 * 0.5 + 20 * 1) / 320);
  }

  void onlyTheNewestBatchSizeCounts() {
    std::vector<MeasuredStep> steps(50, {0.01, 100, 0.9});
    steps.insert(steps.end(), 10, {0.02, 400, 0.6});
    const auto rate = measured_rate(steps);
    QCOMPARE(rate->steps, 10);
    QCOMPARE(rate->throughput, 20000.0);
    QCOMPARE(rate->efficiency, 0.6);
  }

  void aNewestStepOfAnotherBatchSizeSaysNothing() {
    std::vector<MeasuredStep> steps(50, {0.01, 100, 0.9});
    steps.push_back({0.01, 400, 0.6});
    QVERIFY(!measured_rate(steps));
  }

  void onlyTheLastSecondsCount() {
    std::vector<MeasuredStep> steps(100, {2, 100, 1});
    steps.insert(steps.end(), 20, {1, 100, 1});
    QCOMPARE(measured_rate(steps)->throughput, 100.0);
    QCOMPARE(measured_rate(std::vector<MeasuredStep>(100, {0.75, 100, 1}))->steps, 20);
    QCOMPARE(measured_rate(std::vector<MeasuredStep>(100, {0.5, 100, 1}))->steps, 20);
    QCOMPARE(measured_rate(std::vector<MeasuredStep>(100, {0.375, 100, 1}))->steps, 27);
    QCOMPARE(measured_rate(std::vector<MeasuredStep>(5000, {0.001, 100, 1}))->steps, kMeasuredSteps);
  }

  void aFewStepsSayNothing() {
    QVERIFY(!measured_rate(std::vector<MeasuredStep>(4, {0.01, 100, 1})));
    QVERIFY(!measured_rate(std::vector<MeasuredStep>(40, {kNaN, 100, 1})));
    const auto rate = measured_rate(std::vector<MeasuredStep>(5, {0.01, 100, kNaN}));
    QCOMPARE(rate->throughput, 10000.0);
    QVERIFY(std::isnan(rate->goodput));
  }

  void aGenerationIsReadWithoutItsFirstStep() {
    const ReadBuckets read = [](const std::string& name, const GenerationSteps& of) {
      std::vector<storage::Bucket> buckets;
      for (std::int64_t step = of.first_step; step <= of.last_step; ++step) {
        const double value = name == series::kStepTime    ? (step == 7 ? 9 : 0.01)
                             : name == series::kBatchSize ? 64
                                                          : 0.25;
        buckets.push_back({step, step, 1, value, value, value});
      }
      return buckets;
    };
    const auto rate = measured_rate({2, 4, 7, 16}, read);
    QCOMPARE(rate->steps, 9);
    QCOMPARE(rate->goodput, 1600.0);
    QVERIFY(!measured_rate({2, 4, 0, 0}, read));
    QCOMPARE(measured_rate({2, 4, 7, 100'000}, read)->steps, kMeasuredSteps);
    QVERIFY(!measured_rate({2, 4, 7, 7}, read));
  }

  // The newest that has begun, as far as it is known to have come.
  void aRecordedRunIsMeasured() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("samples.db").toStdString();
    const auto record = [&](int generation, std::int64_t first, int count, double seconds) {
      storage::SampleWriter writer(file);
      for (const auto& [name, value] : {std::pair(series::kStepTime, seconds),
                                        {series::kBatchSize, 100.0},
                                        {series::kEfficiency, 0.5},
                                        {series::kThroughput, 100 / seconds}})
        writer.append(generation, name, first, std::vector<double>(static_cast<std::size_t>(count), value));
    };
    record(0, 1, 20, 0.1);
    record(1, 21, 41, 0.2);
    storage::SampleReader reader(file);
    const auto measured = [&](std::vector<storage::Generation> generations) {
      return measured_rate(generations, reader);
    };
    storage::Generation first, second, third;
    first.number = 0;
    first.first_step = 1;
    first.last_step = 11;
    first.ended = 1;
    second.number = 1;
    second.first_step = 21;
    second.last_step = 31;
    third.number = 2;
    QCOMPARE(measured({first})->steps, 10);
    QCOMPARE(measured({first})->throughput, 1000.0);
    QCOMPARE(measured({first, second, third})->steps, 40);  // it goes on
    QCOMPARE(measured({first, second, third})->goodput, 250.0);
    second.ended = 1;
    QCOMPARE(measured({first, second})->steps, 10);
    third.first_step = 62;
    QVERIFY(!measured({first, second, third}));  // nothing is recorded of it yet
    QVERIFY(!measured({}));
  }

  // A tenth of the steps at either end, the shortest and the longest.
  void aTenthAtEitherEndIsLeftOut() {
    std::vector<MeasuredStep> steps(20, {0.01, 100, 1});
    steps[0].seconds = steps[1].seconds = 0.001;
    steps[2].seconds = steps[3].seconds = 0.5;
    QCOMPARE(measured_rate(steps)->throughput, 10000.0);
    steps[4].seconds = 0.026;  // one more than is left out
    QCOMPARE(measured_rate(steps)->throughput, 16 * 100 / (15 * 0.01 + 0.026));
    steps.pop_back();  // of 19, one at either end
    QCOMPARE(measured_rate(steps)->throughput, 17 * 100 / (0.001 + 14 * 0.01 + 0.026 + 0.5));
  }

  void whatIsNoStepIsPassedOver() {
    std::vector<MeasuredStep> steps(10, {0.01, 100, 1});
    for (const MeasuredStep& none :
         {MeasuredStep{0, 100, 1}, MeasuredStep{-1, 100, 1}, MeasuredStep{0.01, 0, 1},
          MeasuredStep{std::numeric_limits<double>::infinity(), 100, 1}})
      steps.insert(steps.begin() + 5, none);
    QCOMPARE(measured_rate(steps)->steps, 10);
    QCOMPARE(measured_rate(steps)->seconds, 0.1);
  }

  void samplesBeyondTheBatchAreNone() {
    for (const double samples : {150.0, 0.0, -5.0, kNaN})
      QCOMPARE(measured_rate(std::vector<MeasuredStep>(10, {0.01, 100, 1, samples}))->throughput, 10000.0);
    QCOMPARE(measured_rate(std::vector<MeasuredStep>(10, {0.01, 100, 1, 99}))->throughput, 9900.0);
  }

  // --- a restart ---

  void whatWasPredictedIsToldOnceTheRateIsSteady() {
    RestartForecast forecast;
    forecast.take(model());
    const auto& predicted = forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QCOMPARE(predicted->at.num_replicas, 2);
    QCOMPARE(predicted->goodput, predict(model(), 2)->goodput);
    QVERIFY(!forecast.take(steps_of(1, 30, 100)));  // the first warms caches
    QVERIFY(!forecast.take(steps_of(19, 1, 100)));  // too few
    const auto obtained = forecast.take(steps_of(1, 1, 100));
    QCOMPARE(obtained->throughput, 100.0);
    QCOMPARE(obtained->goodput, 50.0);
    QVERIFY(!forecast.take(steps_of(50, 1, 100)));  // it was told
  }

  void aRateThatSettlesIsWaitedForAMinute() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    for (int i = 0; i < 9; ++i) QVERIFY(!forecast.take(steps_of(20, 0.3 / (1 << i), 100)));
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(11, 1, 100)));
    QVERIFY(!forecast.take(steps_of(10, 3, 100)));
    QVERIFY(!forecast.take(steps_of(3, 6, 100)));
    QVERIFY(forecast.take(steps_of(1, 6, 100)));  // 64 s, steady or not
  }

  // Twenty of them, however long they take.
  void aMinuteOfAFewStepsIsNotEnough() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(1 + 10, 2, 100)));
    QVERIFY(!forecast.take(steps_of(9, 8, 100)));
    QVERIFY(forecast.take(steps_of(1, 8, 100)));
    // A hundred thousand are enough, however short they are.
    for (const int missing : {0, 1}) {
      forecast.begin(true, {1, 1, 64, 0}, 2, {4});
      const auto rate = forecast.take(steps_of(1 + 100'000 - missing, 0x1p-20, 100));
      QCOMPARE(rate.has_value(), missing == 0);
    }
    // That holds where they were not steady, too.
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(1 + 50'000, 0x1p-20, 100)));
    QVERIFY(!forecast.take(steps_of(49'999, 0x1p-19, 100)));
    QVERIFY(forecast.take(steps_of(1, 0x1p-19, 100)));
  }

  void oneGenerationsStepsAreNotTheNexts() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(1 + 19, 1, 100)));
    forecast.begin(true, {1, 2, 32, 0}, 3, {4});
    QVERIFY(!forecast.take(steps_of(1 + 1, 1, 100)));
    forecast.ask();
    forecast.begin(true, {1, 3, 32, 0}, 4, {4});
    QVERIFY(!forecast.before());
    // A restart that was asked for says nothing of the one after it.
    forecast.take(steps_of(1 + 20, 1, 100));
    forecast.ask();
    QVERIFY(forecast.expected({1, 4, 16, 0}, 2, {4}, 1).has_value());
    forecast.begin(true, {1, 4, 16, 0}, 2, {4});
    QVERIFY(forecast.before());
    forecast.begin(true, {1, 2, 32, 0}, 2, {4});
    QVERIFY(!forecast.before());
  }

  // A run of days has more of them than are kept; the newest count.
  void theNewestStepsAreKept() {
    RestartForecast forecast;
    forecast.begin(false, {}, 1, {4});
    for (int i = 0; i < 5; ++i) forecast.take(steps_of(1000, 0.5, 100));
    forecast.take(steps_of(1000, 0x1p-8, 100));
    forecast.ask();
    forecast.begin(true, {1, 1, 100, 0}, 2, {4});
    QCOMPARE(forecast.before()->rate.steps, kMeasuredSteps);
    QCOMPARE(forecast.before()->rate.throughput, 25600.0);
  }

  // One that has no size yet chooses it.
  void replicasWithoutABatchSizeChooseOne() {
    RestartForecast forecast;
    forecast.take(model());
    QCOMPARE(forecast.begin(true, {1, 2, 0, 0}, 2, {4})->batch_size, predict(model(), 2)->batch_size);
    QCOMPARE(forecast.begin(true, {1, 2, 1, 0}, 2, {4})->batch_size, 2);
    QCOMPARE(forecast.begin(true, {1, 2, 17, 0}, 2, {4}, 2)->at.num_nodes, 2);
  }

  // Others take half of the machine for a while: what was tried is judged after that.
  void aDisturbedMachineIsWaitedFor() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(1 + 10, 0.25, 100)));
    QVERIFY(!forecast.take(steps_of(10, 0.5, 100)));
    QVERIFY(!forecast.take(steps_of(19, 0.25, 100)));
    QCOMPARE(forecast.take(steps_of(1, 0.25, 100))->throughput, 400.0);
  }

  void quartersMayDifferALittle() {
    for (const bool steady : {true, false}) {
      RestartForecast forecast;
      forecast.take(model());
      forecast.begin(true, {1, 1, 64, 0}, 2, {4});
      QVERIFY(!forecast.take(steps_of(1 + 5, 1, 100)));
      QVERIFY(!forecast.take(steps_of(5, steady ? 1.14 : 1.16, 100)));
      QVERIFY(!forecast.take(steps_of(9, 1, 100)));
      QCOMPARE(forecast.take(steps_of(1, 1, 100)).has_value(), steady);
    }
  }

  void anotherBatchSizeBeginsAnew() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(20, 1, 100)));
    QVERIFY(!forecast.take(steps_of(19, 1, 200)));
    QCOMPARE(forecast.take(steps_of(1, 1, 200))->batch_size, 200.0);
  }

  // The rates that a move is judged by.
  void whatTheRunDidBeforeIsKept() {
    RestartForecast forecast;
    forecast.begin(false, {}, 1, {4});
    QVERIFY(!forecast.take(steps_of(5, 1, 100)));  // four that count
    QVERIFY(!forecast.is_measured());
    forecast.ask();
    forecast.begin(true, {1, 1, 100, 0}, 2, {4});
    QVERIFY(!forecast.before());
    forecast.take(steps_of(6, 1, 100));
    QVERIFY(forecast.is_measured());
    forecast.ask();
    forecast.begin(true, {1, 2, 50, 0}, 3, {4});
    QCOMPARE(forecast.before()->replicas, 2);
    QCOMPARE(forecast.before()->rate.throughput, 100.0);
    forecast.begin(true, {1, 3, 50, 0}, 3, {4});  // nobody asked for it: a crash
    QVERIFY(!forecast.before());
  }

  void stepsWithoutATimeOrASizeAreNone() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    forecast.take(steps_of(1, 1, 100));
    QVERIFY(!forecast.take(steps_of(50, 0, 100)));
    QVERIFY(!forecast.take(steps_of(50, kNaN, 100)));
    QVERIFY(!forecast.take(steps_of(50, 1, 0)));
    RestartForecast smallest;
    smallest.take(model());
    smallest.begin(true, {1, 1, 64, 0}, 2, {4});
    QCOMPARE(smallest.take(steps_of(21, 1, 1))->throughput, 1.0);  // one sample is a size
    protocol::Steps bare = steps_of(50, 1, 100);
    bare.columns.erase(series::kBatchSize);
    QVERIFY(!forecast.take(bare));
    bare = steps_of(20, 1, 100);
    bare.columns.erase(series::kEfficiency);
    const auto obtained = forecast.take(bare);
    QCOMPARE(obtained->throughput, 100.0);
    QVERIFY(std::isnan(obtained->goodput));
  }

  // The last step of a pass, which the throughput is of.
  void aShortStepCountsItsSamples() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    forecast.take(steps_of(1, 1, 100));
    protocol::Steps steps = steps_of(20, 0.5, 100);
    steps.columns[series::kThroughput] = std::vector<double>(20, 80);
    QCOMPARE(forecast.take(steps)->throughput, 80.0);
  }

  void twentyStepsOfFiveSecondsAreTheLeast() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(20, 0.25, 100)));  // 19, 4.75 s
    QVERIFY(forecast.take(steps_of(1, 0.25, 100)));
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    QVERIFY(!forecast.take(steps_of(40, 0.125, 100)));  // 39, 4.875 s
    QVERIFY(forecast.take(steps_of(1, 0.125, 100)));
  }

  void withoutNoiseOnlyTheThroughputIsPredicted() {
    RestartForecast forecast;
    protocol::Model quiet = model();
    quiet.grad_var = 0;
    quiet.max_batch_size = 0;
    forecast.take(quiet);
    const auto predicted = forecast.begin(true, {1, 2, 32, 0}, 2, {4});
    QVERIFY(predicted->throughput > 0 && std::isnan(predicted->goodput));
  }

  // A program that takes a minute for a sample, and little noise.
  void whatIsSlowIsPredictedToo() {
    RestartForecast forecast;
    protocol::Model slow = model();
    slow.perf->beta_c = 60;
    slow.grad_var = 0.5;
    forecast.take(slow);
    const auto predicted = forecast.begin(true, {1, 2, 32, 0}, 2, {4});
    QVERIFY(predicted && predicted->throughput < 1 && predicted->goodput > 0);
  }

  void theModelIsThatOfTheRequest() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.ask();
    protocol::Model later = model();
    later.perf->beta_c *= 10;
    forecast.take(later);
    QCOMPARE(forecast.begin(true, {1, 1, 64, 0}, 2, {4})->goodput, predict(model(), 2)->goodput);
    QCOMPARE(forecast.begin(true, {1, 2, 64, 0}, 4, {4})->goodput, predict(later, 4)->goodput);
  }

  void replicasWhoseNumberStaysGoOnAsTheyAre() {
    RestartForecast forecast;
    forecast.take(model());
    QCOMPARE(forecast.begin(true, {1, 2, 17, 1}, 2, {4})->batch_size, 68);
  }

  void replicasShareTheDevicesOfTheirGeneration() {
    RestartForecast forecast;
    protocol::Model of_eight = model();
    of_eight.devices = 8;
    forecast.take(of_eight);
    const double alone = forecast.begin(true, {1, 2, 16, 1}, 2, {2})->throughput;
    QCOMPARE(forecast.begin(true, {1, 2, 16, 1}, 2, {1})->throughput, alone / 2);
  }

  void replicasHaveTheCoresOfTheirGeneration() {
    RestartForecast forecast;
    protocol::Model divided = model();
    divided.perf->alpha_r = 0;
    divided.perf->gamma = 1;
    divided.core_exponent = 1;
    divided.devices = 2;
    divided.cores = 2;
    divided.divides_cores = true;
    forecast.take(divided);
    const double alone = forecast.begin(true, {1, 2, 64, 0}, 1, {2, false, 2})->throughput;
    const double both = forecast.begin(true, {1, 1, 64, 0}, 2, {2, false, 1})->throughput;
    QCOMPARE(predict(divided, 1)->throughput, alone);
    QCOMPARE(predict(divided, 2)->throughput, both);
    QVERIFY(both < 1.5 * alone);
    divided.cores = 1;
    forecast.take(divided);
    QCOMPARE(forecast.begin(true, {1, 2, 64, 0}, 1, {2, false, 2})->throughput, alone);
  }

  void nothingIsPredictedOf_data() {
    QTest::addColumn<bool>("isRestart");
    QTest::addColumn<bool>("hasModel");
    QTest::addRow("a start") << false << true;
    QTest::addRow("a run without a model") << true << false;
  }

  void nothingIsPredictedOf() {
    QFETCH(const bool, isRestart);
    QFETCH(const bool, hasModel);
    RestartForecast forecast;
    if (hasModel) forecast.take(model());
    QVERIFY(!forecast.begin(isRestart, {1, 1, 64, 0}, 2, {4}));
    QVERIFY(!forecast.take(steps_of(100, 1, 100)));
  }

  void aGenerationThatEndsFirstObtainsNothing() {
    RestartForecast forecast;
    forecast.take(model());
    forecast.begin(true, {1, 1, 64, 0}, 2, {4});
    forecast.end();
    QVERIFY(!forecast.take(steps_of(100, 1, 100)));
  }

  void itIsToldInASentence() {
    Prediction predicted{{1, 2, 64, 0}, 128, 20000, 0.92, 18412};
    const MeasuredRate obtained{30, 6, 128, 0.007, 19000, 0.94, 17891};
    QCOMPARE(forecast_text(predicted, obtained),
             std::string("Predicted goodput 18,410 samples/s on 2 replicas, obtained 17,890 (−3 %)"));
    predicted.goodput = kNaN;
    QCOMPARE(forecast_text(predicted, obtained),
             std::string("Predicted throughput 20,000 samples/s on 2 replicas, obtained 19,000 (−5 %)"));
  }
};

BATCHSCOPE_TEST(TestMeasuredRate)
#include "test_measured_rate.moc"
