// SPDX-License-Identifier: Apache-2.0
//
// The profile: means by configuration that forget, rows that the fit accepts; and the thread that fits them.
#include <atomic>
#include <cmath>

#include "adapt/model_fitter.h"
#include "adapt/profile.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

class TestProfile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void rows_hold_means() {
    Profile profile;
    profile.add_optimizer({1, 2, 16}, 0.3, 0.1);
    profile.add_optimizer({1, 2, 16}, 0.5, 0.1);
    profile.add_optimizer({1, 2, 32}, 0.7, 0);
    profile.add_accumulation({1, 2, 32}, 0.6);
    profile.add_accumulation({1, 2, 64}, 0.9);  // never synchronised: no row
    const auto rows = profile.rows();
    QCOMPARE(rows.size(), 2u);
    QCOMPARE(rows[0].local_batch_size, 16);
    QVERIFY(std::abs(rows[0].optimizer_step_time - 0.4) < 1e-12);
    QVERIFY(std::abs(rows[0].accumulation_step_time - 0.3) < 1e-12);
    QCOMPARE(rows[1].accumulation_step_time, 0.6);
    QCOMPARE(profile.measured(), 3);
    QCOMPARE(profile.max_replicas(), 2);
  }

  // A micro-batch of 0.4 s and an update of 0.2 s, seen with and without accumulation: all rows mean the
  // micro-batch alone.
  void the_update_is_told_apart_from_the_micro_batch() {
    Profile profile;
    QCOMPARE(profile.update_time(), 0.0);
    for (int i = 0; i < 50; ++i) profile.add_optimizer({1, 2, 16}, 0.4 + 0.1 + 0.2, 0.1);
    QCOMPARE(profile.update_time(), 0.0);  // nothing has accumulated
    for (int i = 0; i < 50; ++i) {
      profile.add_accumulation({1, 2, 32}, 0.8);
      profile.add_optimizer({1, 2, 32}, 0.8 + 0.1 + 0.2, 0.1);
    }
    QVERIFY(std::abs(profile.update_time() - 0.2) < 1e-12);
    const auto rows = profile.rows(profile.update_time());
    QVERIFY(std::abs(rows[0].accumulation_step_time - 0.4) < 1e-12);
    QVERIFY(std::abs(rows[0].optimizer_step_time - 0.5) < 1e-12);
    QVERIFY(std::abs(rows[1].accumulation_step_time - 0.8) < 1e-12);
    QVERIFY(std::abs(rows[1].optimizer_step_time - 0.9) < 1e-12);
  }

  void rows_of_shared_devices_give_way() {
    Profile profile;
    profile.add_optimizer({1, 4, 16, true}, 0.1, 0);
    QCOMPARE(profile.rows().size(), 1u);
    profile.add_accumulation({1, 1, 16, false}, 0.4);
    QCOMPARE(profile.rows().size(), 1u);
    profile.add_optimizer({1, 1, 16, false}, 0.4, 0);
    const auto rows = Profile::from_json(protocol::Json::parse(profile.json().dump())).rows();
    QCOMPARE(rows.size(), 1u);
    QCOMPARE(rows[0].num_replicas, 1);
    QCOMPARE(profile.max_replicas(), 4);
  }

  void outliers_do_not_sway_a_mean() {
    Profile profile;
    for (int i = 0; i < 160; ++i) profile.add_optimizer({1, 1, 8}, i % 16 == 3 ? 50 : 1, 0);
    QCOMPARE(profile.rows()[0].optimizer_step_time, 1.0);
  }

  void rows_weigh_as_many_steps_as_they_have() {
    Profile profile;
    for (int i = 0; i < 5; ++i) profile.add_optimizer({1, 1, 8}, 1, 0);
    for (int i = 0; i < 500; ++i) profile.add_optimizer({1, 1, 16}, 1, 0);
    QCOMPARE(profile.rows()[0].weight, 0.1);
    QCOMPARE(profile.rows()[1].weight, 1.0);
  }

  void a_row_is_as_old_as_what_came_after_it() {
    Profile profile;
    for (int i = 0; i < 30; ++i) profile.add_optimizer({1, 1, 8}, 1, 0);
    QCOMPARE(profile.rows()[0].age, 0.0);
    for (int i = 0; i < 10; ++i) profile.add_optimizer({1, 1, 16}, 1, 0);
    QCOMPARE(profile.rows()[0].age, 0.25);
    QCOMPARE(profile.rows()[1].age, 0.0);
  }

  void rows_of_unknown_cores_give_way() {
    protocol::Json old = Profile().json();  // as versions wrote it that did not know of cores
    old["rows"].push_back({{"nodes", 1},
                           {"replicas", 1},
                           {"local_batch_size", 8},
                           {"accumulation", {0, 0}},
                           {"optimizer", {0.5, 20}},
                           {"sync", {0, 20}},
                           {"last", 1}});
    Profile profile = Profile::from_json(old);
    QCOMPARE(profile.rows().size(), 1u);
    QCOMPARE(profile.rows()[0].cores, 0);
    profile.add_optimizer({.local_batch_size = 8, .cores = 2, .neighbours = 1}, 0.3, 0);
    QCOMPARE(profile.rows().size(), 1u);
    const auto rows = Profile::from_json(protocol::Json::parse(profile.json().dump())).rows();
    QCOMPARE(rows[0].cores, 2);
    QCOMPARE(rows[0].neighbours, 1);
    QCOMPARE(rows[0].optimizer_step_time, 0.3);
  }

  void old_measurements_fade() {
    Profile profile;
    for (int i = 0; i < 10'000; ++i) profile.add_optimizer({1, 1, 8}, 1, 0);
    for (int i = 0; i < 150; ++i) profile.add_optimizer({1, 1, 8}, 2, 0);
    QVERIFY(profile.rows()[0].optimizer_step_time > 1.95);
  }

  void rows_are_bounded_and_the_stalest_goes() {
    Profile profile;
    for (int local = 1; local <= 500; ++local) {
      profile.add_optimizer({1, 1, local}, 1, 0);
      profile.add_optimizer({1, 1, 1}, 1, 0);
    }
    const auto rows = profile.rows();
    QVERIFY(rows.size() <= 128);
    QCOMPARE(rows.front().local_batch_size, 1);
    QCOMPARE(rows.back().local_batch_size, 500);
  }

  void waiting_that_takes_all_the_time_leaves_a_positive_row() {
    Profile profile;
    profile.add_optimizer({1, 2, 8}, 0.5, 0.7);
    QVERIFY(profile.rows()[0].accumulation_step_time > 0);
    profile.add_optimizer({1, 2, 8}, std::nan(""), 0);
    QCOMPARE(profile.measured(), 1);
  }

  void survives_a_checkpoint() {
    Profile profile;
    profile.add_optimizer({1, 2, 16}, 0.1 / 3, 0.01);
    profile.add_accumulation({1, 2, 16}, 0.02 / 7);
    const Profile loaded = Profile::from_json(protocol::Json::parse(profile.json().dump()));
    QCOMPARE(loaded.measured(), 1);
    QCOMPARE(loaded.rows()[0].optimizer_step_time, 0.1 / 3);
    QCOMPARE(loaded.rows()[0].accumulation_step_time, 0.02 / 7);
  }

  void the_fitter_answers_the_newest_request() {
    ModelFitter fitter;
    QVERIFY(!fitter.model());
    std::atomic<int> answers = 0;
    for (int i = 1; i <= 20; ++i)
      fitter.fit({{1, 1, 8, 0.01 * i, 0.01 * i}}, 0, [&](const goodput::PerfParams& perf) {
        ++answers;
        return perf;
      });
    fitter.settle();
    QVERIFY(answers >= 1 && answers <= 20);
    const double seconds = goodput::accumulation_time(*fitter.model(), 8);
    QVERIFY2(std::abs(seconds - 0.2) < 0.02, qPrintable(QString::number(seconds)));
  }
};

BATCHSCOPE_TEST(TestProfile)
#include "test_profile.moc"
