// SPDX-License-Identifier: Apache-2.0
//
// Where a loop begins and ends, also by a break: what is put back and told then, what of it is over, and how
// far a stream is.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "device.h"
#include "heard.h"
#include "report/telemetry_client.h"
#include "session/computing.h"
#include "session/leave.h"
#include "session/start.h"
#include "standard_error.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Device;
using batchscope::testing::Heard;
using batchscope::testing::Program;
namespace fs = std::filesystem;

class TestLoopEnds : public QObject {
  Q_OBJECT

  using Json = protocol::Json;

  static void commit(double gain = 1) { metrics::commit_step({.gain = gain, .gradient = {1, 10}}); }
  static std::string lines(const Program::Ended& ended) {
    std::string text;
    for (const Json& line : ended.said) text += line.dump() + " ";
    return text;
  }
  static std::string ledger(const Heard& heard) {
    return heard.text_of<protocol::LedgerEntry>([](const protocol::LedgerEntry& entry) {
      return fmt::format("{} {}.{} {}-{} of {}, step {}", entry.loader, entry.epoch, entry.pass, entry.from,
                         entry.to, entry.dataset_size, entry.step);
    });
  }
  static std::string positions(const Heard& heard) {
    return heard.text_of<protocol::Position>([](const protocol::Position& at) {
      return fmt::format("{} {} {}", at.epoch, at.fraction, at.progress);
    });
  }

 private Q_SLOTS:
  // --- the begin ---

  // Such as random numbers, of which the program's start may have drawn some; once, before the first batch.
  void whatTheStartChangedIsPutBack() {
    struct Restoring final : Computing {
      void restore() override { Program::say("restored"); }
    };
    Program program;
    program.start = [](const ProcessGroupOptions& options) {
      start_session(options, std::make_unique<Restoring>());
    };
    const auto ended = program.run([] {
      AdaptiveDataLoaderHelper training({.size = 2, .batch_size = 1});
      Program::say("made");
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(2))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          Program::say(loop.number());
          commit();
        }
    });
    QCOMPARE(lines(ended), R"("made" "restored" 0 1 0 1 )");
  }

  // A notice before its first step belongs to the step that it goes on from.
  void itGoesOnFromItsStep() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
    const auto train = [] {
      AdaptiveDataLoaderHelper training({.size = 8, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          if (loop.number() == 0) notice("info", "begun");
          commit();
        }
    };
    const testing::StandardError kept;
    for (const int step : {0, 2}) {
      const Heard heard(program, train);
      const auto notices = heard.of<protocol::Notice>();
      QCOMPARE(notices.at(0).text, "begun");
      QCOMPARE(notices.at(0).step, step);
    }
  }

  // A batch that takes long does not make the replica seem dead, where the one before it was done.
  void eachBatchIsASignOfLife() {
    Program program;
    const std::string path = program.path("telemetry"), is_seen = program.path("seen"),
                      is_later = program.path("later");
    testing::TelemetryListener supervisor(path);
    program.variables[protocol::variable::kTelemetrySocket] = path;
    auto listened = std::async(std::launch::async, [&] {
      supervisor.accept();
      double first = 0;
      supervisor.read_until([&](const protocol::Message& message) {
        const auto* const beat = std::get_if<protocol::Heartbeat>(&message);
        if (!beat || beat->phase != "validate") return false;
        if (first > 0) return beat->since > first;
        first = beat->since;
        testing::write_file(is_seen, "x");
        return false;
      });
      testing::write_file(is_later, "x");
      supervisor.read_to_goodbye();
    });
    const auto ended = program.run([is_seen, is_later] {
      AdaptiveDataLoaderHelper validation({.size = 2, .batch_size = 1, .training = false});
      for (auto loop = validation.loop(); !loop.done(); loop.advance()) {
        const std::string& awaited = loop.number() == 0 ? is_seen : is_later;
        for (int i = 0; i < 2000 && !fs::exists(awaited); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        Program::say(fs::exists(awaited));
      }
    });
    QCOMPARE(lines(ended), "true true ");
  }

  // --- the end ---

  // The times of the last step are known, and the loop holds no data.
  void whatIsOverIsOver() {
    const auto ended = Program().run([] {
      auto owned = std::make_unique<Device>();
      Device& device = *owned;
      set_timer(std::move(owned));
      AdaptiveDataLoaderHelper training({.size = 11 * 8, .batch_size = 8});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
        auto loop = training.loop();
        for (; !loop.done(); loop.advance()) {
          device.work(0.125);
          device.wait();
          commit();
          Program::say(metrics::measured_goodput({8, 0}).has_value());
        }
        // Ten steps are needed; the first of eleven is not measured.
        Program::say({metrics::measured_goodput({8, 0}).has_value(), loop.pass() == nullptr});
      }
    });
    QCOMPARE(ended.said.size(), 12u);
    for (std::size_t step = 0; step < 11; ++step) QCOMPARE(ended.said[step].dump(), "false");
    QCOMPARE(ended.said.back().dump(), "[true,true]");
  }

  // The supervisor suspects memory where a program fails in the midst of a batch, and not between loops.
  void aFailureSaysOfWhichMicroBatchItIs() {
    const auto local_batch_size = [](const char* where) {
      Program program;
      const Heard heard(program, [where = std::string(where)] {
        AdaptiveDataLoaderHelper training({.size = 12, .batch_size = 6});
        training.scale_by_replicas(2, false);
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
          if (where == "before") leave(3);
          for (auto loop = training.loop(); !loop.done(); loop.advance()) {
            if (where == "inside") leave(3);
            if (step_context().optimizer_step)
              commit();
            else
              metrics::end_micro_step();
          }
          if (where == "behind") leave(3);
        }
      });
      return heard.of<protocol::Failure>().at(0).local_batch_size;
    };
    QCOMPARE(local_batch_size("before"), 0);
    QCOMPARE(local_batch_size("inside"), 6);
    QCOMPARE(local_batch_size("behind"), 0);
  }

  // No stretch of no samples is told, where a checkpoint had told of all of them.
  void aBreakBehindACheckpointTellsNothingTwice() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:checkpoint"])";
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 8, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          if (loop.number() == 2) break;
          commit();
        }
    });
    QCOMPARE(ledger(heard), "train-0 0.0 0-4 of 8, step 2\n");
  }

  // The sample that is dropped of each pass is in no stretch, also where a checkpoint comes between them.
  void betweenTwoPassesNothingIsToldTwice() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:checkpoint"])";
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 5, .batch_size = 2, .drop_last = true});
      training.scale_by_replicas();
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) commit(0.75);
    });
    QCOMPARE(ledger(heard), "train-0 0.0 0-4 of 5, step 2\ntrain-0 0.1 0-4 of 5, step 4\n");
  }

  // --- the log of samples ---

  void aLogThatCannotBeWrittenIsToldAlsoAtABreak() {
    Program program;
    program.variables[protocol::variable::kSampleLog] = program.path("nowhere");
    const testing::StandardError kept;
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          commit();
          break;
        }
    });
    const auto notices = heard.of<protocol::Notice>();
    QCOMPARE(notices.size(), 1u);
    QCOMPARE(notices[0].level, "error");
    QCOMPARE(notices[0].text, "cannot write the sample log in " + program.path("nowhere"));
  }

  void nobodyWritesALogThatWasNotAskedFor() {
    Program program;
    const fs::path here = program.path("here");
    fs::create_directory(here);
    program.run([here] {
      fs::current_path(here);
      AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) commit();
    });
    QVERIFY(fs::is_empty(here));
  }

  // --- how far a stream is ---

  // The length is known from its first end on, in the next generation too.
  void aStreamIsMeasuredByThePassBeforeIt() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=4:stop"])";
    const auto train = [] {
      AdaptiveDataLoaderHelper training({.batch_size = 4, .stream = [](std::int64_t, std::int64_t to) {
                                           return std::min<std::int64_t>(to, 10);
                                         }});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(2))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          telemetry_flush();
          commit();
        }
    };
    const Heard first(program, train), second(program, train);
    QCOMPARE(positions(first), "0 0 1\n0 0 2\n0 1 3\n1 0.4 4\n");
    QCOMPARE(positions(second), "1 0.8 5\n1 1 6\n");
    QCOMPARE(ledger(first), "train-0 0.0 0-10 of 10, step 3\ntrain-0 1.0 0-4 of 0, step 4\n");
    QCOMPARE(ledger(second), "train-0 1.0 4-10 of 10, step 6\n");
  }
};

BATCHSCOPE_TEST(TestLoopEnds)
#include "test_loop_ends.moc"
