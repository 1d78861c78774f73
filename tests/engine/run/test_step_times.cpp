// SPDX-License-Identifier: Apache-2.0
//
// Step times by configuration, measured and as the model has them; and the series of a run that only hints.
#include "batchscope/run/step_times.h"

#include <QTemporaryDir>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "batchscope/protocol/series.h"
#include "model/hinted_series.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

class TestStepTimes : public QObject {
  Q_OBJECT

  using Buckets = std::vector<storage::Bucket>;

  static storage::Bucket same(std::int64_t first, std::int64_t last, double value) {
    return {first, last, last - first + 1, value, value, value};
  }
  // An exchange takes 10 ns where it takes nothing (goodput/model.h).
  static bool is_about(double value, double seconds) { return std::abs(value - seconds) < 1e-7; }
  // A micro-batch of 10 ms and 1 ms a sample.
  static protocol::Model model() {
    protocol::Model m;
    m.perf = {0.01, 0.001, 0, 0, 0, 0, 1};
    m.init_batch_size = 64;
    return m;
  }
  // Of one generation of a replica, steps 1 to 100.
  static std::vector<StepTime> measured(const Buckets& times, const Buckets& locals,
                                        const Buckets& accumulations) {
    const std::vector<GenerationSteps> generations{{0, 1, 1, 100}};
    const ReadBuckets read = [&](const std::string& series, const GenerationSteps&) {
      return series == protocol::series::kStepTime         ? times
             : series == protocol::series::kLocalBatchSize ? locals
                                                           : accumulations;
    };
    return measure_step_times(generations, read, model());
  }
  static std::size_t count(double local, double accumulation) {
    return measured({same(2, 9, 0.1)}, {same(1, 100, local)}, {same(1, 100, accumulation)}).size();
  }

 private Q_SLOTS:
  void theMedianIsBesideThePrediction() {
    const auto times =
        measured({same(2, 2, 0.2), same(3, 5, 0.1), same(6, 6, 5)}, {same(1, 100, 32)}, {same(1, 100, 1)});
    QCOMPARE(times.size(), 1u);
    QCOMPARE(times[0].replicas, 1);
    QCOMPARE(times[0].local_batch_size, 32);
    QCOMPARE(times[0].accumulation, 1);
    QCOMPARE(times[0].steps, 5);
    QCOMPARE(times[0].measured, 0.2);
    QVERIFY(is_about(times[0].predicted, 2 * 0.042));
    QCOMPARE(times[0].residual(), 0.2 / times[0].predicted - 1);
  }

  // Caches warm up in the first; what is no time at all was not measured.
  void theFirstStepAndThoseWithoutATimeAreLeftOut() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const auto times = measured({same(1, 1, 9), same(2, 2, 0.1), same(3, 3, 0), same(4, 4, kNaN)},
                                {same(1, 100, 32)}, {same(1, 100, 0)});
    QCOMPARE(times.size(), 1u);
    QCOMPARE(times[0].steps, 1);
    QCOMPARE(times[0].measured, 0.1);
  }

  // The configuration changes within them, or is not known.
  void stepsOfSeveralConfigurationsAreLeftOut() {
    const Buckets times{same(2, 10, 0.1), same(11, 20, 0.1), same(21, 30, 0.2), same(31, 40, 0.2)};
    const auto found = measured(times, {same(1, 15, 16), same(16, 35, 32)}, {same(1, 40, 0)});
    QCOMPARE(found.size(), 2u);
    QCOMPARE(found[0].local_batch_size, 16);
    QCOMPARE(found[0].steps, 9);
    QCOMPARE(found[1].local_batch_size, 32);
    QCOMPARE(found[1].steps, 20);
    QVERIFY(measured({same(2, 10, 0.1)}, {}, {same(1, 40, 0)}).empty());
    QVERIFY(measured({same(2, 10, 0.1)}, {same(1, 40, 16)}, {{1, 40, 40, 0, 1, 0.5}}).empty());
  }

  void whatIsNoBatchSizeIsLeftOut() {
    QCOMPARE(count(1, 0), 1u);
    QCOMPARE(count(1e9, 0), 1u);
    QCOMPARE(count(0.5, 0), 0u);
    QCOMPARE(count(1.1e9, 0), 0u);
    QCOMPARE(count(1, 1e9), 1u);
    QCOMPARE(count(1, 1.1e9), 0u);
    QCOMPARE(count(1, -1), 0u);
  }

  void generationsAreTakenTogetherByTheirReplicas() {
    const std::vector<GenerationSteps> generations{
        {0, 2, 1, 10}, {1, 1, 11, 20}, {2, 2, 21, 30}, {3, 4, 0, 40}, {4, 4, 41, 0}};
    const ReadBuckets read = [](const std::string& series, const GenerationSteps& of) {
      const double value = series == protocol::series::kStepTime         ? 0.1
                           : series == protocol::series::kLocalBatchSize ? 16
                                                                         : 0;
      return Buckets{same(of.first_step, of.first_step, value), same(of.first_step + 1, of.last_step, value)};
    };
    const auto times = measure_step_times(generations, read, model());
    QCOMPARE(times.size(), 2u);
    QCOMPARE(times[0].replicas, 1);
    QCOMPARE(times[0].steps, 9);
    QCOMPARE(times[1].replicas, 2);
    QCOMPARE(times[1].steps, 18);
    QVERIFY(is_about(times[1].predicted, 0.026));                // the devices were as many as the replicas
    QVERIFY(measure_step_times(generations, read, {}).empty());  // a model without parameters
  }

  // One that goes on counts up to its newest step.
  void recordedStepsAreMeasured() {
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("samples.db").toStdString();
    {
      storage::SampleWriter writer(file);
      for (int generation = 0; generation < 2; ++generation)
        for (const auto& [name, value] : {std::pair(protocol::series::kStepTime, 0.125),
                                          {protocol::series::kLocalBatchSize, 16.0},
                                          {protocol::series::kAccumulation, 1.0}})
          writer.append(generation, name, 1 + 20 * generation, std::vector<double>(20, value));
    }
    storage::SampleReader reader(file);
    std::vector<storage::Generation> generations(2);
    for (const int number : {0, 1}) {
      generations[number].number = number;
      generations[number].replicas = 1 + number;
      generations[number].first_step = 1 + 20 * number;
      generations[number].last_step = 11 + 20 * number;
    }
    generations[0].ended = 1;
    const auto times = measure_step_times(generations, reader, model());
    QCOMPARE(times.size(), 2u);
    QCOMPARE(times[0].replicas, 1);
    QCOMPARE(times[0].steps, 10);
    QCOMPARE(times[0].measured, 0.125);
    QCOMPARE(times[0].accumulation, 1);
    QCOMPARE(times[1].replicas, 2);
    QCOMPARE(times[1].steps, 19);
  }

  void theMeanErrorIsThatOfAStep() {
    QVERIFY(std::isnan(mean_error({})));
    const std::vector<StepTime> times{{1, 16, 0, 30, 1.1, 1}, {2, 16, 0, 10, 0.7, 1}};
    QCOMPARE(mean_error(times), (30 * 0.1 + 10 * 0.3) / 40);
  }

  // --- a run that hints ---

  void hintsTellOfTheNoiseAndTheBestBatchSize() {
    protocol::Model m = model();
    QCOMPARE(hinted_series(m, 128, 2).size(), 1u);  // without noise: the replicas
    m.grad_sqr = 2;
    m.grad_var = 20;
    m.init_batch_size = 1;
    QCOMPARE(hinted_series(m, 128, 2).at(protocol::series::kNoiseScale), 10.0);
    m.init_batch_size = 64;
    m.max_batch_size = 1024;
    m.min_local_batch_size = 1;
    auto values = hinted_series(m, 128, 2);
    QCOMPARE(values.at(protocol::series::kReplicas), 2.0);
    QCOMPARE(values.at(protocol::series::kNoiseScale), 640.0);
    QCOMPARE(values.at(protocol::series::kBatchSize), 128.0);
    QCOMPARE(values.at(protocol::series::kScale), 2.0);
    // gain = (var + sqr) / (var / 2 + sqr)
    QCOMPARE(values.at(protocol::series::kGain), 22.0 / 12);
    QCOMPARE(values.at(protocol::series::kEfficiency), 22.0 / 24);
    QVERIFY(values.at(protocol::series::kGoodput) > 0);
    values = hinted_series(m, 0, 2);  // not told: the best one is meant
    QVERIFY(values.at(protocol::series::kBatchSize) > 64);
    QCOMPARE(values.at(protocol::series::kScale), values.at(protocol::series::kBatchSize) / 64);
    QCOMPARE(hinted_series(m, 1, 2).at(protocol::series::kBatchSize), 1.0);
  }

  // Also of little noise, and of a program that takes minutes for a step. All replicas are on one node.
  void smallNumbersAreHintsToo() {
    protocol::Model m = model();
    m.grad_sqr = 0.25;
    m.grad_var = 0.5;
    m.max_batch_size = 64;
    m.perf->beta_c = 100;  // s a sample
    const auto values = hinted_series(m, 0, 2);
    QCOMPARE(values.at(protocol::series::kNoiseScale), 128.0);
    const double goodput = values.at(protocol::series::kGoodput);
    QVERIFY(goodput > 0 && goodput < 1);
    QCOMPARE(values.at(protocol::series::kBatchSize), 64.0);
    m.perf->alpha_n = 1000;  // s, between nodes
    QCOMPARE(hinted_series(m, 0, 2).at(protocol::series::kGoodput), goodput);
  }

  void hintsWithoutATimeTellNoGoodput() {
    protocol::Model m;
    m.init_batch_size = 64;
    m.grad_var = 20;
    auto values = hinted_series(m, 0, 2);
    QCOMPARE(values.size(), 1u);
    values = hinted_series(m, 128, 2);
    QVERIFY(!values.contains(protocol::series::kNoiseScale) && !values.contains(protocol::series::kGoodput));
    QCOMPARE(values.at(protocol::series::kEfficiency), 1.0);  // all is noise: each sample counts
    m.init_batch_size = 0;
    QCOMPARE(hinted_series(m, 128, 2).size(), 1u);
  }
};

BATCHSCOPE_TEST(TestStepTimes)
#include "test_step_times.moc"
