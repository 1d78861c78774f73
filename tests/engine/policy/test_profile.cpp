// SPDX-License-Identifier: Apache-2.0
//
// An application's measurements: what is read between them and beyond them, and which are refused.
#include "batchscope/policy/profile.h"

#include <cmath>
#include <functional>
#include <limits>

#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;

namespace {

// Steps of 4 and 8 samples on one device and on two; trainings with batches of 8 and 16.
ProfileData measured() {
  ProfileData data;
  data.name = "app";
  data.trainings[8] = {{60, 60, {1, 2}}, {120, 120, {3, 4}}};
  data.trainings[16] = {{50, 40, {5, 6}}, {130, 80, {7, 8}}};
  data.placements[{1}] = {{1, 1, 4, {0.5, 0.1}}, {1, 1, 8, {1.0, 0.3}}};
  data.placements[{2}] = {{1, 2, 4, {0.75, 0.25}}};
  return data;
}

using Change = std::function<void(ProfileData&)>;

}  // namespace

Q_DECLARE_METATYPE(Change)

class TestProfile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsLieOnALineBetweenThoseMeasured_data() {
    const auto row = batchscope::testing::columns<std::vector<int>, int, double, double>(
        {"perNode", "size", "step", "sync"});
    row("measured", {1}, 4, 0.5, 0.1);
    row("measured, the larger", {1}, 8, 1, 0.3);
    row("between", {1}, 5, 0.625, 0.15);
    row("below", {1}, 1, 0.5, 0.1);
    row("above", {1}, 100, 1, 0.3);
    row("one size alone", {2}, 100, 0.75, 0.25);
  }
  void stepsLieOnALineBetweenThoseMeasured() {
    QFETCH(const std::vector<int>, perNode);
    QFETCH(const int, size);
    const Application application(measured());
    for (int again = 0; again < 2; ++again) {  // from memory
      QTEST(application.step_times(perNode, size).step, "step");
      QTEST(application.step_times(perNode, size).sync, "sync");
    }
    QVERIFY(!application.uses_model());
  }

  // Three replicas on two nodes were not measured: by the table, by the model, or not at all.
  void whatWasNotMeasuredIsModelledOrRefused() {
    ProfileData data = measured();
    const Application modelled(measured());
    const StepTimes times = modelled.step_times({1, 2}, 4);
    QVERIFY(times.step > 0 && times.sync >= 0 && times.sync < times.step);
    QVERIFY(modelled.uses_model());
    data.measured_only = true;
    data.between[{2, 4}] = {{2, 4, 4, {0.6, 0.2}}};
    const Application refusing(std::move(data));
    for (int again = 0; again < 2; ++again)
      QVERIFY_EXCEPTION_THROWN(refusing.step_times({1, 2}, 4), NotMeasured);
    try {
      refusing.step_times({1, 2}, 4);
    } catch (const NotMeasured& fault) {
      QCOMPARE(fault.what(), "app: no step on 3 replicas of 2 nodes was measured");
    }
    QCOMPARE(refusing.step_times({2, 2}, 4).step, 0.6);
    QCOMPARE(refusing.step_times({3, 1}, 4).sync, 0.2);
  }

  // A micro-batch takes 0.1 s and 0.075 s for each sample, and two replicas synchronise in 0.1 s, so that
  // three take a little more.
  void whatIsModelledIsLikeWhatWasMeasured() {
    ProfileData data = measured();
    data.placements.clear();
    data.placements[{1, 1}] = {{2, 2, 4, {0.5, 0.1}}, {2, 2, 8, {0.8, 0.1}}};
    const Application application(std::move(data));
    for (const auto& [size, computes] : {std::pair{4, 0.4}, {8, 0.7}}) {
      const StepTimes times = application.step_times({1, 1, 1}, size);
      QVERIFY2(std::abs((times.step - times.sync) / computes - 1) < 0.03,
               qPrintable(QString::number(times.sync)));
      QVERIFY(times.step > computes && times.step < computes + 0.3);
    }
    QVERIFY(application.uses_model());
  }

  // On a line between two trainings; of epochs before the first and behind the last, these.
  void statisticsLieBetweenThoseOfTheTrainings() {
    const Application application(measured());
    QCOMPARE(application.epochs(), 2);
    for (const auto& [size, epoch, sqr, var, iterations] : {std::tuple{8, 0, 1.0, 2.0, 60.0},
                                                            {10, 0, 2.0, 3.0, 55.0},
                                                            {16, 1, 7.0, 8.0, 80.0},
                                                            {1, 0, 1.0, 2.0, 60.0},
                                                            {99, 0, 5.0, 6.0, 40.0},
                                                            {8, -1, 1.0, 2.0, 60.0},
                                                            {8, 2, 3.0, 4.0, 120.0},
                                                            {10, 9, 4.0, 5.0, 110.0}}) {
      QCOMPARE(application.gradient(size, epoch).sqr, sqr);
      QCOMPARE(application.gradient(size, epoch).var, var);
      QCOMPARE(application.iterations(size, epoch), iterations);
    }
    for (const auto& [epochs, progress] : {std::pair{-1, 0.0}, {0, 0.0}, {1, 50.0}, {2, 120.0}, {3, 120.0}})
      QCOMPARE(application.progress(epochs), progress);
  }

  void itsLimitsAreThoseOfWhatWasMeasured() {
    ProfileData data = measured();
    const Application free(measured());
    QCOMPARE(free.init_batch_size(), 8);
    QCOMPARE(free.max_batch_size(), 16);
    QCOMPARE(free.min_local_batch_size(), 4);
    QCOMPARE(free.max_local_batch_size(), 8);
    for (const auto& [size, most] : {std::pair{3, 1}, {4, 1}, {8, 2}, {11, 2}, {16, 4}})
      QCOMPARE(free.max_replicas(size), most);
    data.max_replicas = 3;
    data.max_local_batch_size = 6;
    const Application limited(std::move(data));
    QCOMPARE(limited.max_local_batch_size(), 6);
    for (const auto& [size, most] : {std::pair{8, 2}, {16, 3}}) QCOMPARE(limited.max_replicas(size), most);
    const batchscope::goodput::Bounds bounds = limited.bounds();
    QCOMPARE(bounds.max_batch_size, 16);
    QCOMPARE(bounds.min_local, 4);
    QCOMPARE(bounds.max_local, 6);
    QVERIFY(bounds.accumulation && !bounds.single_gradient);
  }

  void aRingHasNoBegin_data() {
    const auto row =
        batchscope::testing::columns<std::vector<int>, std::vector<int>>({"perNode", "smallest"});
    row("none", {}, {});
    row("one", {3}, {3});
    row("turned", {4, 2, 1, 4}, {1, 4, 4, 2});
    row("as it is", {1, 4, 4, 2}, {1, 4, 4, 2});
    row("turned once", {2, 1, 4, 4}, {1, 4, 4, 2});
    row("turned as often as it can be", {2, 3, 1}, {1, 2, 3});
    row("by the second of two equals", {1, 3, 1, 2}, {1, 2, 1, 3});
  }
  void aRingHasNoBegin() {
    QFETCH(const std::vector<int>, perNode);
    QTEST(smallest_rotation(perNode), "smallest");
  }

  void whatCannotBeIsRefused_data() {
    const auto row = batchscope::testing::columns<Change, std::string>({"change", "fault"});
    row(
        "no training", [](ProfileData& data) { data.trainings.clear(); }, "no training was measured");
    row(
        "no placement", [](ProfileData& data) { data.placements.clear(); }, "no placement was measured");
    row(
        "no epoch", [](ProfileData& data) { data.trainings[16].clear(); }, "a training has no epochs");
    row(
        "no step", [](ProfileData& data) { data.placements[{3}] = {}; }, "a placement has no steps");
    row(
        "no step in the table",
        [](ProfileData& data) {
          data.between[{2, 2}] = {};
        },
        "a line of the table has no steps");
    row(
        "too small a limit", [](ProfileData& data) { data.max_local_batch_size = 3; },
        "the largest local batch size is below the smallest that was measured");
    row(
        "too small a training",
        [](ProfileData& data) {
          data.trainings[3] = data.trainings[8];
          data.trainings.erase(8);
          data.trainings.erase(16);
        },
        "no local batch size is within the largest batch size of a training");
    row(
        "too large a batch", [](ProfileData& data) { data.batch_size = 17; },
        "the batch size is above the largest of a training");
    row(
        "rounded by less than nothing", [](ProfileData& data) { data.epoch_rounding = -1; },
        "epochs end in multiples of 0 s or more");
    row(
        "rounded for ever",
        [](ProfileData& data) { data.epoch_rounding = std::numeric_limits<double>::infinity(); },
        "epochs end in multiples of 0 s or more");
    row(
        "no progress", [](ProfileData& data) { data.trainings[16][1].progress = 50; },
        "progress does not grow from epoch to epoch");
    row(
        "no progress at first", [](ProfileData& data) { data.trainings[16][0].progress = 0; },
        "progress does not grow from epoch to epoch");
    row(
        "a limit of one sample", [](ProfileData& data) { data.max_local_batch_size = 1; },
        "the largest local batch size is below the smallest that was measured");
    row(
        "a batch of one micro-batch",
        [](ProfileData& data) {
          data.trainings[4] = data.trainings[8];
          data.trainings.erase(8);
          data.trainings.erase(16);
        },
        "");
    row(
        "a limit that holds", [](ProfileData& data) { data.max_local_batch_size = 4; }, "");
    row(
        "a batch of the largest size", [](ProfileData& data) { data.batch_size = 16; }, "");
    row(
        "no rounding", [](ProfileData& data) { data.epoch_rounding = 0; }, "");
  }
  void whatCannotBeIsRefused() {
    QFETCH(const Change, change);
    QFETCH(const std::string, fault);
    ProfileData data = measured();
    change(data);
    std::string refusal;
    try {
      Application{std::move(data)};
    } catch (const std::invalid_argument& error) {
      refusal = error.what();
    }
    QCOMPARE(refusal, fault.empty() ? "" : "app: " + fault);
  }
};

BATCHSCOPE_TEST(TestProfile)
#include "test_profile.moc"
