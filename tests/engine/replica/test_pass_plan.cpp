// SPDX-License-Identifier: Apache-2.0
//
// How a pass is cut, over many random shapes: every position is used exactly once whatever the restarts, in
// the sampler's order, with weights that make the average gradient the mean over the step's samples.
#include <random>
#include <utility>

#include "adapt/batch_size.h"
#include "batchscope/replica/elastic_sampler.h"
#include "data/pass_plan.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;

namespace {

struct Random {
  std::mt19937_64 engine{7};
  std::int64_t operator()(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine);
  }
};

PassShape random_shape(Random& random, std::int64_t dataset_size, std::int64_t start) {
  return {.dataset_size = dataset_size,
          .replicas = static_cast<int>(random(1, 8)),
          .local_batch_size = random(1, 20),
          .accumulation_steps = static_cast<int>(random(0, 3)),
          .start = start};
}

}  // namespace

class TestPassPlan : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_position_once_across_restarts() {
    Random random;
    for (int round = 0; round < 300; ++round) {
      const std::int64_t size = random(1, 200);
      std::vector<int> used(static_cast<std::size_t>(size), 0);
      std::int64_t position = 0;
      while (position < size) {
        // A generation: some optimizer steps, then a restart on another shape.
        const PassPlan plan(random_shape(random, size, position));
        std::int64_t steps = random(1, 6);
        int of_step = 0;
        for (std::int64_t number = 0; number < plan.micro_batches() && steps > 0; ++number) {
          const MicroBatch micro = plan.at(number);
          QCOMPARE(micro.from, position);
          QCOMPARE(micro.micro_step, of_step++);
          int idle = 0;
          for (int rank = 0; rank < plan.shape().replicas; ++rank) {
            const auto mine = plan.positions(micro, rank);
            idle += mine.empty();
            QCOMPARE(std::ssize(mine), plan.count(micro, rank));
            QVERIFY(std::ssize(mine) <= plan.shape().local_batch_size);
            for (const std::int64_t at : mine) ++used[static_cast<std::size_t>(at)];
          }
          QCOMPARE(plan.idle_replicas(micro), idle);
          position = micro.to;
          if (micro.optimizer_step) {
            QCOMPARE(micro.step_to, position);
            QCOMPARE(micro.step_micro_batches, std::exchange(of_step, 0));
            QVERIFY(micro.step_micro_batches <= plan.shape().accumulation_steps + 1);
            --steps;
          }
        }
      }
      QCOMPARE(std::count(used.begin(), used.end(), 1), size);
    }
  }

  void the_order_is_the_samplers() {
    Random random;
    for (int round = 0; round < 200; ++round) {
      const std::int64_t size = random(1, 200), start = random(0, size - 1);
      const PassPlan plan(random_shape(random, size, start));
      const auto order = ElasticSampler::permutation(size, 3, 0, true);
      for (int rank = 0; rank < plan.shape().replicas; ++rank) {
        ElasticSampler sampler(size, plan.shape().replicas, rank, true);
        sampler.set_epoch(3, start);
        std::vector<std::int64_t> mine;
        for (std::int64_t number = 0; number < plan.micro_batches(); ++number)
          for (const std::int64_t at : plan.positions(plan.at(number), rank))
            mine.push_back(order[static_cast<std::size_t>(at)]);
        const auto indices = sampler.indices();  // with at most one sample of padding, at the end
        QVERIFY(indices.size() - mine.size() <= 1);
        QVERIFY(std::equal(mine.begin(), mine.end(), indices.begin()));
      }
    }
  }

  void weights_average_to_the_mean_over_the_step() {
    Random random;
    for (int round = 0; round < 200; ++round) {
      const std::int64_t size = random(1, 200);
      const PassPlan plan(random_shape(random, size, random(0, size - 1)));
      double step = 0;  // all of its parts
      for (std::int64_t number = 0; number < plan.micro_batches(); ++number) {
        const MicroBatch micro = plan.at(number);
        const double parts = static_cast<double>(plan.shape().replicas) * micro.step_micro_batches;
        for (int rank = 0; rank < plan.shape().replicas; ++rank) {
          const double share = static_cast<double>(plan.count(micro, rank)) /
                               static_cast<double>(micro.step_to - micro.step_from);
          QVERIFY(std::abs(plan.weight(micro, rank) / parts - share) < 1e-12);
          if (plan.even(micro)) QCOMPARE(plan.weight(micro, rank), 1.0);
          step += plan.weight(micro, rank) / parts;
        }
        if (micro.optimizer_step) QCOMPARE(std::exchange(step, 0), 1.0);
      }
    }
  }

  void a_step_with_too_few_samples_leaves_replicas_idle() {
    const PassPlan plan({.dataset_size = 2, .replicas = 5, .local_batch_size = 3});
    QCOMPARE(plan.micro_batches(), 1);
    const MicroBatch micro = plan.at(0);
    QCOMPARE(plan.idle_replicas(micro), 3);
    QCOMPARE(plan.count(micro, 1), 1);
    QCOMPARE(plan.count(micro, 2), 0);
    QCOMPARE(plan.weight(micro, 2), 0.0);
    QVERIFY(!plan.even(micro));
  }

  void drop_last_leaves_the_short_one_out_and_ends_the_step_before_it() {
    const PassPlan plan({.dataset_size = 23,
                         .replicas = 2,
                         .local_batch_size = 2,
                         .accumulation_steps = 1,
                         .drop_last = true});
    QCOMPARE(plan.micro_batches(), 5);
    QCOMPARE(plan.at(4).to, 20);
    QVERIFY(plan.at(4).optimizer_step);
    QCOMPARE(plan.at(4).step_micro_batches, 1);
    QVERIFY(plan.even(plan.at(4)));
    QCOMPARE(PassPlan({.dataset_size = 3, .replicas = 2, .local_batch_size = 2, .drop_last = true})
                 .micro_batches(),
             0);
  }

  void the_initial_shape_keeps_the_bounds() {
    QCOMPARE(initial_shape(10, 3, {}), (BatchShape{4, 0}));
    QCOMPARE(initial_shape(64, 2, {.max_batch_size = 1024, .min_local = 1, .max_local = 16}),
             (BatchShape{16, 1}));
    Random random;
    for (int round = 0; round < 500; ++round) {
      const std::int64_t batch_size = random(1, 100);
      goodput::Bounds limits{.max_batch_size = batch_size + random(0, 50),
                             .min_local = random(1, batch_size)};
      limits.max_local = random(limits.min_local, limits.max_batch_size);
      const int replicas = static_cast<int>(random(1, 8));
      const BatchShape shape = initial_shape(batch_size, replicas, limits);
      QVERIFY(shape.local_batch_size >= 1 && shape.local_batch_size <= limits.max_local);
      if (replicas * (shape.accumulation_steps + 1) <= limits.max_batch_size)
        QVERIFY(shape.batch_size(replicas) <= limits.max_batch_size);
    }
  }

  void a_new_shape_must_promise_more() {
    const BatchShape initial{32, 0}, present{48, 1};
    const auto suggest = [](double goodput, double promise = 0) {
      return Suggestion{{goodput, 64, 1}, std::max(goodput, promise)};
    };
    const BatchShape suggested{64, 1};
    QCOMPARE(preferred_shape({}, initial, {}, {}), initial);
    QCOMPARE(preferred_shape(present, initial, {}, 100), present);
    QCOMPARE(preferred_shape({}, initial, suggest(1), {}), suggested);  // the first, whatever it promises
    QCOMPARE(preferred_shape(present, initial, suggest(104), 100), present);
    QCOMPARE(preferred_shape(present, initial, suggest(105), 100), present);
    QCOMPARE(preferred_shape(present, initial, suggest(106), 100), suggested);
    QCOMPARE(preferred_shape(present, initial, suggest(106), {}), present);
    // On the way to a step that promises enough, a smaller gain will do, but no loss.
    QCOMPARE(preferred_shape(present, initial, suggest(101, 106), 100), suggested);
    QCOMPARE(preferred_shape(present, initial, suggest(101, 105), 100), present);
    QCOMPARE(preferred_shape(present, initial, suggest(99, 106), 100), present);
    QCOMPARE(preferred_shape(present, initial, suggest(100, 106), 100), present);
    const BatchShape single{1, 0};  // the smallest there is
    QCOMPARE(preferred_shape(single, initial, {}, {}), single);
    QCOMPARE(preferred_shape(single, initial, suggest(104), 100), single);
  }

  void a_step_moves_as_far_as_the_noise_supports() {
    StepModel model{.perf = {.alpha_c = 0.01, .beta_c = 1e-4, .alpha_r = 0.01},
                    .gradient = {.sqr = 1, .var = 20},
                    .initial_batch_size = 32,
                    .replicas = 2};
    const goodput::Bounds limits{.max_batch_size = 8192, .min_local = 1, .accumulation = true};
    const auto samples = [](const std::optional<Suggestion>& one) {
      return BatchShape{one->choice.local_batch_size, one->choice.accumulation_steps}.batch_size(2);
    };
    const auto at = [&](std::int64_t batch_size) { return suggestion(model, limits, {1024, batch_size}); };
    const std::int64_t best = samples(at(1024));  // whose noise is known
    QVERIFY(best > 256 && best < 1024);
    QCOMPARE(at(best)->promise, at(best)->choice.goodput);
    model.gradient.sqr_error = 20;  // of 1: nothing is known
    const auto grown = at(64), shrunk = at(1024);
    QCOMPARE(samples(grown), std::int64_t{128});
    QVERIFY(grown->promise > grown->choice.goodput);
    QVERIFY(!shrunk);  // with the largest noise it would not shrink
    model.gradient.sqr_error = 0.05;
    const std::int64_t less = samples(at(1024));
    QVERIFY(less > best && less < 1024);
    QVERIFY(at(1024)->promise >= at(1024)->choice.goodput);
    QCOMPARE(samples(at(best)), best);
    QVERIFY(!at(less));  // with the largest noise it would not shrink
  }

  void a_second_local_batch_size_is_measured() {
    // All but a fifth of a micro-batch's time is the samples', as the fit assumes of one size on cores.
    const StepModel model{.perf = {.alpha_c = 0.002, .beta_c = 0.001},
                          .gradient = {.sqr = 1, .var = 20},
                          .initial_batch_size = 8};
    const goodput::Bounds limits{.max_batch_size = 256, .min_local = 1, .accumulation = true};
    const Seen seen{.local_batch_size = 8, .batch_size = 8};
    const Seen first{.local_batch_size = 8, .batch_size = 8, .only = 8};
    QCOMPARE(suggestion(model, limits, seen)->choice.local_batch_size, std::int64_t{8});
    QCOMPARE(suggestion(model, limits, first)->choice.local_batch_size, std::int64_t{16});
    // The present step's time is what it is: only of others more is hoped.
    StepModel other = model;
    other.perf = {.alpha_c = 0.005, .beta_c = 0.000625};
    QCOMPARE(suggestion(model, limits, first)->choice.goodput,
             suggestion(other, limits, seen)->choice.goodput);
    // Nothing is hoped where the noise does not support it.
    StepModel calm = model;
    calm.gradient.var = 1;
    QCOMPARE(suggestion(calm, limits, first)->choice.local_batch_size, std::int64_t{8});
    // On another number of replicas larger ones were measured: twice the only one here is still the farthest.
    const Seen elsewhere{.local_batch_size = 64, .batch_size = 8, .only = 8};
    QCOMPARE(suggestion(model, limits, elsewhere)->choice.local_batch_size, std::int64_t{16});
  }

  // On four cores that halve a micro-batch's time, as on one that is twice as fast.
  void a_second_local_batch_size_is_measured_on_any_cores() {
    StepModel slow{.perf = {.alpha_c = 0.002, .beta_c = 0.002, .core_exponent = 0.5},
                   .gradient = {.sqr = 1, .var = 20},
                   .initial_batch_size = 8,
                   .devices = {4, true, 4}},
        fast = slow;
    fast.perf = {.alpha_c = 0.002, .beta_c = 0.001};
    fast.devices = {};
    const goodput::Bounds limits{.max_batch_size = 256, .min_local = 1, .accumulation = true};
    const Seen first{.local_batch_size = 8, .batch_size = 8, .only = 8};
    const auto on_four = suggestion(slow, limits, first), on_one = suggestion(fast, limits, first);
    QCOMPARE(on_one->choice.local_batch_size, std::int64_t{16});
    QCOMPARE(on_four->choice.local_batch_size, std::int64_t{16});
    QCOMPARE(on_four->choice.accumulation_steps, on_one->choice.accumulation_steps);
    QVERIFY(std::abs(on_four->promise / on_one->promise - 1) < 1e-9);
  }

  // Even less than a sample a second is suggested, and a single sample.
  void a_suggestion_may_be_slow_or_small_and_there_may_be_none() {
    StepModel model{.perf = {.alpha_c = 20, .beta_c = 10},
                    .gradient = {.sqr = 1, .var = 20},
                    .initial_batch_size = 1,
                    .replicas = 2};
    const auto within = [&](const goodput::Bounds& limits) { return suggestion(model, limits, {}); };
    const auto single = within({.max_batch_size = 2, .min_local = 1});
    QCOMPARE(single->choice.local_batch_size, std::int64_t{1});
    QVERIFY(single->choice.goodput > 0 && single->choice.goodput < 1);
    QVERIFY(!within({.max_batch_size = 2, .min_local = 2}));
  }

  void a_second_local_batch_size_may_be_a_smaller_one() {
    // Half of a micro-batch's time is said to be the same for every size, so that 47 on each of two replicas
    // seem better than the initial 32. If none of it were, 32 would be.
    const StepModel model{.perf = {.alpha_c = 0.0625, .beta_c = 0.00133},
                          .gradient = {.sqr = 1, .var = 3},
                          .initial_batch_size = 64,
                          .replicas = 2};
    const goodput::Bounds limits{.max_batch_size = 94, .min_local = 1};
    const Seen seen{.local_batch_size = 64, .batch_size = 94},
        first{.local_batch_size = 64, .batch_size = 94, .only = 47};
    QCOMPARE(suggestion(model, limits, seen)->choice.local_batch_size, std::int64_t{47});
    QCOMPARE(suggestion(model, limits, first)->choice.local_batch_size, std::int64_t{32});
  }

  void a_choice_reaches_twice_as_far_as_was_seen() {
    const auto reach = [](const goodput::Bounds& limits, const Seen& seen) {
      const goodput::Bounds within = within_reach(limits, seen, 72, 2);
      return std::pair(within.max_local, within.max_batch_size);
    };
    const goodput::Bounds wide{.max_batch_size = 4096, .min_local = 1};
    QCOMPARE(reach(wide, {}), std::pair(std::int64_t{0}, std::int64_t{4096}));  // nothing was seen
    QCOMPARE(reach(wide, {36, 72}), std::pair(std::int64_t{72}, std::int64_t{288}));
    QCOMPARE(reach(wide, {100, 0}), std::pair(std::int64_t{200}, std::int64_t{4096}));
    // The initial batch size, in one micro-batch a replica, and what is asked for stay within it.
    QCOMPARE(reach(wide, {4, 8}), std::pair(std::int64_t{36}, std::int64_t{72}));
    QCOMPARE(reach({.max_batch_size = 4096, .min_local = 50}, {4, 8}),
             std::pair(std::int64_t{50}, std::int64_t{100}));
    QCOMPARE(reach({.max_batch_size = 100, .min_local = 1, .max_local = 40}, {36, 72}),
             std::pair(std::int64_t{40}, std::int64_t{100}));
    QCOMPARE(reach({.min_local = 1}, {36, 72}), std::pair(std::int64_t{72}, std::int64_t{0}));
    QCOMPARE(reach(wide, {1, 1}), std::pair(std::int64_t{36}, std::int64_t{72}));
    QCOMPARE(reach({.max_batch_size = 4096, .min_local = 1, .max_local = 1}, {1, 72}),
             std::pair(std::int64_t{1}, std::int64_t{288}));
    QCOMPARE(within_reach(wide, {4, 8}, 73, 2).max_local, std::int64_t{37});
    QCOMPARE(reach(wide, {72, 100, 100}), std::pair(std::int64_t{144}, std::int64_t{400}));
    QCOMPARE(reach(wide, {72, 100, 0, 1}), std::pair(std::int64_t{144}, std::int64_t{200}));
    // Away from a step that was left: half the way to it.
    QCOMPARE(reach(wide, {72, 100, 144}), std::pair(std::int64_t{144}, std::int64_t{120}));
    QCOMPARE(reach(wide, {72, 200, 144}), std::pair(std::int64_t{144}, std::int64_t{800}));
    // Beyond twice the step in force no farther than the least noise allows.
    QCOMPARE(reach(wide, {72, 100, 0, 280}), std::pair(std::int64_t{144}, std::int64_t{280}));
    QCOMPARE(reach(wide, {72, 100, 0, 90}), std::pair(std::int64_t{144}, std::int64_t{200}));
    QCOMPARE(reach(wide, {72, 100, 0, 4000}), std::pair(std::int64_t{144}, std::int64_t{400}));
  }
};

BATCHSCOPE_TEST(TestPassPlan)
#include "test_pass_plan.moc"
