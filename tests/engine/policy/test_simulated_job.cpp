// SPDX-License-Identifier: Apache-2.0
//
// A job of the simulator by itself: its batch sizes, what it learns of its steps, and how far it comes.
#include "simulator/simulated_job.h"

#include <algorithm>
#include <cmath>

#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::policy;

namespace {

ProfileData one_or_two() {
  ProfileData data;
  data.name = "even";
  data.trainings[8] = {{60, 60, {1, 1}}, {120, 120, {1, 1}}};
  data.placements[{1}] = {{1, 1, 4, {0.5, 0}}, {1, 1, 8, {1.0, 0}}};
  data.placements[{2}] = {{1, 2, 4, {0.5, 0}}};
  return data;
}

}  // namespace

class TestSimulatedJob : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A micro-batch takes 0.2 s and a sixteenth of a second for each sample, and 0.3 s synchronise a step.
  // Where there is only noise the largest batch is best: 64 samples, in two micro-batches of 16 on each of
  // two replicas. The job finds that out by itself, of what it measures.
  void aJobLearnsWhatAMicroBatchTakes() {
    ProfileData data;
    data.name = "app";
    for (const std::int64_t size : {8, 64})
      data.trainings[size] = {{6000, 6000, {0, 1}}, {12'000, 12'000, {0, 1}}};
    data.placements[{2}] = {{1, 2, 4, {0.75, 0.3}}, {1, 2, 16, {1.5, 0.3}}};
    const Application application(std::move(data));
    const Submission submission{"a", 0, "app", 2, 8};
    SimulatedJob job(submission, application, true);
    job.reallocate({{0, 2}}, 0);
    for (int interval = 0; interval < 10; ++interval) job.advance(10, 0);
    const double expected = 64 / (1.2 + 1.5);
    QVERIFY2(std::abs(job.goodput(1, 2) / expected - 1) < 0.02,
             qPrintable(QString("%1, expected %2").arg(job.goodput(1, 2)).arg(expected)));
    const double before = job.progress();
    job.advance(10, 0);
    const double learnt = (job.progress() - before) / 10;
    QVERIFY2(std::abs(learnt / (expected / 8) - 1) < 0.02, qPrintable(QString::number(learnt)));
  }

  // Three replicas with at least four samples each, before anything is known: steps of half a second, each of
  // them worth as many iterations as it has initial batches.
  void beginsWithTheSmallestMicroBatches() {
    ProfileData data;
    data.name = "app";
    for (const std::int64_t size : {8, 16}) data.trainings[size] = {{6000, 6000, {0, 1}}};
    data.placements[{3}] = {{1, 3, 4, {0.5, 0}}, {1, 3, 8, {1, 0}}};
    const Application application(std::move(data));
    const Submission submission{"a", 0, "app", 3, 8};
    SimulatedJob job(submission, application, true);
    job.reallocate({{0, 3}}, 0);
    job.advance(5, 0);
    QCOMPARE(job.progress(), 10 * 12 / 8.0);
  }

  // Three replicas cannot have four samples each of eight, so that no size is best. They train all the same,
  // with two each.
  void whoHasNoBestSizeDividesTheInitialOne() {
    ProfileData data = one_or_two();
    data.trainings[8] = {{6000, 6000, {1, 0}}};
    data.placements[{3}] = {{1, 3, 4, {0.5, 0.1}}};
    const Application application(std::move(data));
    const Submission submission{"a", 0, "even", 3, 8};
    SimulatedJob job(submission, application, true);
    job.reallocate({{0, 3}}, 0);
    for (int step = 1; step <= 3; ++step) {
      job.advance(10, 0);
      QCOMPARE(job.goodput(1, 3), 0.0);
      QCOMPARE(job.progress(), 20.0 * step);
    }
  }

  // Ten epochs with one gradient, each of them as long as an interval, and then another gradient. A job that
  // was asked before the first step with it answers afterwards as one that was not.
  void whatAJobAnswersIsOfThePresentGradient_data() {
    const auto row = batchscope::testing::columns<double, double>({"signal", "noise"});
    row("more signal", 4, 1);
    row("more noise", 1, 30);
  }
  void whatAJobAnswersIsOfThePresentGradient() {
    QFETCH(const double, signal);
    QFETCH(const double, noise);
    ProfileData data;
    data.name = "app";
    for (const std::int64_t size : {8, 64}) {
      for (int epoch = 1; epoch <= 10; ++epoch)
        data.trainings[size].push_back({1000.0 * epoch, 1000.0 * epoch, {1, 1}});
      data.trainings[size].push_back({1e6, 1e6, {signal, noise}});
    }
    data.placements[{2}] = {{1, 2, 4, {0.75, 0.3}}, {1, 2, 16, {1.5, 0.3}}};
    data.epoch_rounding = 1000;
    const Application application(std::move(data));
    const Submission submission{"a", 0, "app", 2, 8};
    SimulatedJob asked(submission, application, true), other(submission, application, true);
    for (SimulatedJob* const job : {&asked, &other}) {
      job->reallocate({{0, 2}}, 0);
      for (int epoch = 0; epoch < 10; ++epoch) job->advance(1000, 0);
      QCOMPARE(job->epoch(), 10);
    }
    const double before = asked.goodput(1, 2);
    for (SimulatedJob* const job : {&asked, &other}) job->advance(1, 0);
    QCOMPARE(asked.goodput(1, 2), other.goodput(1, 2));
    QVERIFY(std::abs(asked.goodput(1, 2) / before - 1) > 0.01);
  }

  // Each epoch has more noise than the one before, so that the job trains with a larger batch, whose step
  // takes a little more or less than a model says. It fits one to the first sizes, and then only once there
  // are a quarter more of them.
  void furtherSizesAreNotFittedOneByOne() {
    ProfileData data;
    data.name = "app";
    data.accumulation = false;
    data.epoch_rounding = 0;
    constexpr int kEpochs = 10;
    for (const std::int64_t size : {8, 256})
      for (int epoch = 0; epoch < kEpochs; ++epoch)
        data.trainings[size].push_back({100.0 * (epoch + 1) + (epoch + 1 == kEpochs ? 1e5 : 0),
                                        100.0 * (epoch + 1),
                                        {1, std::pow(1.65, epoch)}});
    double error = 0.05;
    for (const std::int64_t size : {4, 8, 16, 32, 64, 128}) {
      error = -error;
      const double seconds = (0.5 + static_cast<double>(size) / 16) * (1 + error);
      data.placements[{2}].push_back({1, 2, size, {seconds, 0.3}});
    }
    data.placements[{1}] = {{1, 1, 4, {5, 0}}, {1, 1, 128, {10, 0}}};  // much slower than on two
    const Application application(std::move(data));
    const Submission submission{"a", 0, "app", 2, 8};
    SimulatedJob job(submission, application, true);
    job.reallocate({{0, 2}}, 0);
    std::vector<bool> fitted;
    for (int epoch = 1; epoch < kEpochs; ++epoch) {
      while (job.epoch() < epoch) job.advance(1, 0);
      const double before = job.goodput(1, 2);
      job.advance(1e-3, 0);
      fitted.push_back(job.goodput(1, 2) != before);
    }
    QCOMPARE(fitted, (std::vector<bool>{true, true, true, true, true, false, true, false, true}));
    // A job measures again and again what it has measured, and learns nothing by it.
    for (int step = 0; step < 3; ++step) job.advance(1, 0);
    const double before = job.goodput(1, 2);
    for (int step = 0; step < 20; ++step) job.advance(1, 0);
    QCOMPARE(job.goodput(1, 2), before);
    // A number of replicas that it has not had is fitted at once.
    const double guessed = job.goodput(1, 1);
    job.reallocate({{0, 1}}, 0);
    job.advance(1e-3, 0);
    QVERIFY(std::abs(job.goodput(1, 1) / guessed - 1) > 0.1);
  }

  // A step of two micro-batches of 8 takes a second, and 0.9 s without what synchronises. There is no noise,
  // so that it is worth an iteration; and half of one where others are in its way.
  void advancesByWholeSteps() {
    ProfileData data = one_or_two();
    data.trainings[8] = data.trainings[16] = {{60, 60, {1, 0}}, {120, 120, {1, 0}}};
    data.placements[{1}] = {{1, 1, 4, {0.5, 0.1}}, {1, 1, 8, {1.0, 0.1}}};
    const Application application(std::move(data));
    const Submission submission{"a", 0, "even", 1, 16};
    SimulatedJob job(submission, application, false);
    job.reallocate({{0, 1}}, 0);
    job.advance(10 * 1.9, 0);
    QCOMPARE(job.progress(), 10.0);
    job.advance(10 * 1.9, 0.5);
    QCOMPARE(job.progress(), 15.0);
  }

  // A batch of the initial size is not divided, though it may be: a step of a second, and not two of 0.75 s.
  void theInitialBatchIsOneMicroBatch() {
    ProfileData data = one_or_two();
    data.trainings[8] = {{60, 60, {1, 0}}, {120, 120, {1, 0}}};
    data.placements[{1}] = {{1, 1, 4, {0.75, 0.1}}, {1, 1, 8, {1.0, 0.1}}};
    const Application application(std::move(data));
    const Submission submission{"a", 0, "even", 1, 8};
    SimulatedJob job(submission, application, false);
    job.reallocate({{0, 1}}, 0);
    job.advance(10, 0);
    QCOMPARE(job.progress(), 10.0);
  }

  // Batches of up to 16 in micro-batches of 4 to 8 samples; a step takes an eighth of a second for each
  // sample of a micro-batch, of which 0.1 s synchronise.
  void dividesABatchOfAFixedSize_data() {
    const auto row =
        batchscope::testing::columns<int, int, bool, double>({"size", "replicas", "two", "seconds"});
    row("one micro-batch", 8, 1, false, 1);
    row("at least two", 8, 1, true, 0.5 + 0.4);
    row("as many as are needed", 16, 1, true, 1 + 0.9);
    row("of the same size", 12, 1, false, 0.75 + 0.65);
    row("rounded up", 15, 1, false, 1 + 0.9);
    row("shared by two", 16, 2, true, 1);
    row("shared, rounded up", 11, 2, false, 0.75);
    row("rounded down to the largest batch", 16, 3, false, 0.625);
    row("a sample each", 3, 3, false, 0.125);
    row("at least one sample", 1, 3, false, 0.125);
  }
  void dividesABatchOfAFixedSize() {
    QFETCH(const int, size);
    QFETCH(const int, replicas);
    QFETCH(const bool, two);
    ProfileData data = one_or_two();
    data.trainings[16] = data.trainings[8];
    data.placements.clear();
    for (const int count : {1, 2, 3})
      data.placements[{count}] = {{1, count, 1, {0.125, 0.1}}, {1, count, 8, {1.0, 0.1}}};
    QTEST(step_seconds(Application(std::move(data)), size, replicas, 4, two), "seconds");
    QCOMPARE(on_nodes_of(4, 9), (std::vector{4, 4, 1}));
    QCOMPARE(on_nodes_of(4, 4), std::vector{4});
  }
};

BATCHSCOPE_TEST(TestSimulatedJob)
#include "test_simulated_job.moc"
