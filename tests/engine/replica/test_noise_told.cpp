// SPDX-License-Identifier: Apache-2.0
//
// The steps of a program that averages its own gradients, as they are told: all that the noise scale knows
// of them, and those that were not made.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/gradient_average.h"
#include "device.h"
#include "heard.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Heard;
using batchscope::testing::Program;

class TestNoiseTold : public QObject {
  Q_OBJECT

  using Gradient = std::vector<double>;

 private Q_SLOTS:
  // A single replica's pairs begin anew.
  void after_a_step_that_is_not_finite_it_goes_on() {
    Program program;
    const Heard heard(program, [] {
      GradientAverage average(1);
      for (const double gradient : {3.0, 1.0, std::nan(""), 2.0, 2.5}) {
        step_context() = {.initial_batch_size = 4, .local_batch_size = 8, .samples = 8};
        const auto step = average.add(Gradient{gradient});
        Program::say(step ? protocol::Json(step->gradient[0]) : protocol::Json());
        if (step) average.finish(0.1);
      }
    });
    std::string said;
    for (const auto& line : heard.ended[0].said) said += line.dump() + " ";
    QCOMPARE(said, "3.0 1.0 null 2.0 2.5 ");
    using Values = std::map<std::int64_t, double>;
    QCOMPARE(heard.values("lr"), (Values{{1, 0.1}, {2, 0.1}, {3, 0}, {4, 0.1}, {5, 0.1}}));
    QCOMPARE(heard.values("non_finite_steps"), (Values{{3, 1}}));
  }

  // A step has the time of all its micro-batches.
  void a_micro_batch_that_ends_no_step_is_in_its_time() {
    Program program;
    const Heard heard(program, [] {
      finished_epochs();
      auto owned = std::make_unique<testing::Device>();
      auto& device = *owned;
      set_timer(std::move(owned));
      GradientAverage average(1);
      for (int step = 0; step < 2; ++step)
        for (const bool last : {false, true}) {
          step_context() = {.initial_batch_size = 4,
                            .local_batch_size = 4,
                            .accumulation_steps = 1,
                            .micro_step = last,
                            .optimizer_step = last,
                            .samples = 8};
          metrics::begin_micro_step();
          device.work(last ? 1 : 0.5);
          device.wait();
          average.add(Gradient{1});
          if (last) average.finish(0.1);
        }
      metrics::complete_last_step();
    });
    using Values = std::map<std::int64_t, double>;
    QCOMPARE(heard.values("step_time"), (Values{{1, 1.5}, {2, 1.5}}));
  }

  void all_is_told_that_the_noise_scale_knows() {
    Program program;
    const Heard heard(
        program,
        [] {
          GradientAverage average(2);
          for (int i = 0; i < 4; ++i) {
            step_context() = {.initial_batch_size = 4, .local_batch_size = 4, .samples = 6};
            average.add(Gradient{1.0 + i, 2.0 + replica_rank()});
            average.finish(0.25);
          }
        },
        2);
    goodput::NoiseScale noise(1);
    for (int i = 0; i < 4; ++i) {
      const double first = (1.0 + i) * (1.0 + i);
      noise.update({{first + 4 + first + 9}, {first + 2.5 * 2.5}, 2, 1.5, {}, {}});
      const auto at = [&](const char* name) { return heard.values(name).at(i + 1); };
      QCOMPARE(at("lr"), 0.25);
      QCOMPARE(at("lr_factor"), noise.gain(1.5));
      QCOMPARE(at("efficiency"), std::min(1.0, noise.gain(1.5) / 1.5));
      QCOMPARE(at("gain"), noise.gain(2));
      QCOMPARE(at("gain_raw"), noise.raw_gain(2));
      QCOMPARE(at("grad_sqr"), noise.params().sqr);
      QCOMPARE(at("grad_var"), noise.params().var);
      const auto interval = noise.gain_interval(2);
      QCOMPARE(heard.values("gain_low").contains(i + 1), interval.has_value());
      if (interval) QCOMPARE(at("gain_low"), interval->first);
      if (interval) QCOMPARE(at("gain_high"), interval->second);
      QVERIFY(at("sync_time") > 0);
    }
  }
};

BATCHSCOPE_TEST(TestNoiseTold)
#include "test_noise_told.moc"
