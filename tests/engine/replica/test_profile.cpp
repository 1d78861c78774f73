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
    const protocol::Json row = profile.json().at("rows").at(0);
    QVERIFY(!row.at("shared").get<bool>());
    QCOMPARE(row.at("neighbours").get<int>(), 0);
    profile.add_optimizer({.local_batch_size = 8, .cores = 2, .neighbours = 1}, 0.3, 0);
    QCOMPARE(profile.rows().size(), 1u);
    const auto rows = Profile::from_json(protocol::Json::parse(profile.json().dump())).rows();
    QCOMPARE(rows[0].cores, 2);
    QCOMPARE(rows[0].neighbours, 1);
    QCOMPARE(rows[0].optimizer_step_time, 0.3);
    Profile of_one = Profile::from_json(old);
    of_one.add_optimizer({.local_batch_size = 8, .cores = 1}, 0.4, 0);
    QCOMPARE(of_one.rows().size(), 1u);
    QCOMPARE(of_one.rows()[0].cores, 1);
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
    QCOMPARE(rows.size(), 128u);
    QCOMPARE(rows.front().local_batch_size, 1);
    QCOMPARE(rows.back().local_batch_size, 500);
  }

  void waiting_that_takes_all_the_time_leaves_a_positive_row() {
    Profile profile;
    profile.add_optimizer({1, 2, 8}, 0.5, 0.7);
    QCOMPARE(profile.rows()[0].accumulation_step_time, 1e-3 * 0.5);
    QCOMPARE(profile.rows(0.6)[0].optimizer_step_time, 1e-3 * 0.5);  // an update that takes all of it
    for (const double none : {std::nan(""), 0.0, -1.0}) {
      profile.add_optimizer({1, 2, 8}, none, 0);
      profile.add_accumulation({1, 2, 8}, none);
    }
    QCOMPARE(profile.measured(), 1);
    QCOMPARE(profile.rows()[0].accumulation_step_time, 1e-3 * 0.5);
    profile.add_optimizer({1, 2, 16}, 0.5, -1);
    QCOMPARE(profile.rows()[1].accumulation_step_time, 0.5);
  }

  // Micro-batches of the optimizer and, where steps accumulate, of both.
  void ten_steps_of_a_configuration_are_enough() {
    Profile profile;
    const Profile::Key key{1, 1, 8};
    QVERIFY(!profile.step_time(key, 0));
    for (int i = 0; i < 9; ++i) profile.add_optimizer(key, 0.5, 0);
    QVERIFY(!profile.step_time(key, 0));
    profile.add_optimizer(key, 0.5, 0);
    QCOMPARE(profile.step_time(key, 0), 0.5);
    for (int i = 0; i < 9; ++i) profile.add_accumulation(key, 0.25);
    for (const int accumulation : {1, 2}) QVERIFY(!profile.step_time(key, accumulation));
    QCOMPARE(profile.update_time(), 0.0);
    profile.add_accumulation(key, 0.25);
    QCOMPARE(profile.step_time(key, 2), 1.0);
    QCOMPARE(profile.update_time(), 0.25);
  }

  // Rows weigh by their steps, up to 50 of them; where a micro-batch that updates is the shorter one, there
  // is none.
  void updates_are_averaged_by_their_steps() {
    Profile profile;
    const auto add = [&](std::int64_t local, int steps, double update) {
      for (int i = 0; i < steps; ++i) {
        profile.add_accumulation({1, 1, local}, 0.5);
        profile.add_optimizer({1, 1, local}, 0.5 + update, 0);
      }
    };
    add(8, 25, 0.25);
    add(16, 100, 0.5);
    QCOMPARE(profile.update_time(), (0.5 * 0.25 + 1 * 0.5) / 1.5);
    add(32, 50, -0.25);
    QCOMPARE(profile.update_time(), (0.5 * 0.25 + 1 * 0.5) / 2.5);
  }

  void the_batch_sizes_are_those_whose_steps_were_measured() {
    Profile profile;
    QCOMPARE(profile.local_batch_sizes().least, 0);
    QCOMPARE(profile.local_batch_sizes().most, 0);
    QCOMPARE(profile.max_replicas(), 0);
    for (const std::int64_t local : {16, 8, 32}) profile.add_optimizer({1, 1, local}, 1, 0);
    for (const std::int64_t local : {4, 64}) profile.add_accumulation({1, 1, local}, 1);
    QCOMPARE(profile.local_batch_sizes().least, 8);
    QCOMPARE(profile.local_batch_sizes().most, 32);
    // One configuration's alone: here one replica with two cores.
    profile.add_optimizer({.local_batch_size = 12, .cores = 2}, 1, 0);
    QCOMPARE(profile.local_batch_sizes_like({.local_batch_size = 1, .cores = 2}).least, 12);
    QCOMPARE(profile.local_batch_sizes_like({.local_batch_size = 1, .cores = 2}).most, 12);
    QCOMPARE(profile.local_batch_sizes_like({.replicas = 2}).most, 0);
    QCOMPARE(profile.local_batch_sizes_like({}).least, 8);
    profile.add_optimizer({1, 1, 1}, 1, 0);
    QCOMPARE(profile.local_batch_sizes().least, 1);
  }

  // --- one mean ---

  void a_block_leaves_out_two_at_either_end() {
    RobustMean mean;
    QCOMPARE(mean.value(), 0.0);
    for (const double seconds : {1, 2, 3, 4}) mean.add(seconds);
    QCOMPARE(mean.value(), 2.5);  // of a few none is left out
    for (const double seconds : {100, 5, 6, 7}) mean.add(seconds);
    QCOMPARE(mean.value(), (2 + 3 + 4 + 5 + 6 + 7) / 6.0);  // one of eight
    for (int i = 0; i < 8; ++i) mean.add(i < 4 ? 0.5 : 8);
    // In order: four of 0.5, 1 to 7, four of 8, and 100.
    QCOMPARE(mean.value(), (2 * 0.5 + 28 + 3 * 8) / 12.0);
    QCOMPARE(mean.count(), 16);
  }

  // Ten seconds of them, two at the least and 64 at most.
  void a_mean_is_of_the_last_blocks() {
    const auto after = [](double before, double then) {
      RobustMean mean;
      for (int i = 0; i < 16 * 100; ++i) mean.add(before);
      for (int i = 0; i < 16; ++i) mean.add(then);
      return mean.value();
    };
    QCOMPARE(after(1, 3), 1 + 2 / 2.0);
    QCOMPARE(after(0.01, 0.02), 0.01 + 0.01 / 31);  // of 0.32 s
    QCOMPARE(after(1e-4, 2e-4), 1e-4 + 1e-4 / 64);
  }

  void a_saved_mean_is_one_block() {
    RobustMean saved(1, 40), none(0, 0);
    QCOMPARE(saved.value(), 1.0);
    QCOMPARE(saved.count(), 40);
    QCOMPARE(RobustMean(3, 1).value(), 3.0);
    for (int i = 0; i < 16; ++i) saved.add(2), none.add(2);
    QCOMPARE(saved.value(), 1.5);
    QCOMPARE(none.value(), 2.0);
  }

  void survives_a_checkpoint() {
    Profile profile;
    profile.add_optimizer({1, 2, 16}, 0.1 / 3, 0.01);
    profile.add_accumulation({1, 2, 16}, 0.02 / 7);
    const Profile loaded = Profile::from_json(protocol::Json::parse(profile.json().dump()));
    QCOMPARE(loaded.measured(), 1);
    QCOMPARE(loaded.rows()[0].age, 0.0);
    QCOMPARE(loaded.json().dump(), profile.json().dump());
    QCOMPARE(loaded.rows()[0].optimizer_step_time, 0.1 / 3);
    QCOMPARE(loaded.rows()[0].accumulation_step_time, 0.02 / 7);
  }

  void the_fitter_answers_the_newest_request() {
    ModelFitter fitter;
    QVERIFY(!fitter.model());
    std::atomic<int> answers = 0;
    for (int i = 1; i <= 20; ++i)
      fitter.fit({{1, 1, 8, 0.01 * i, 0.01 * i}}, {}, [&](const goodput::PerfParams& perf) {
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
