// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints of whole programs: where each lies, that one is made where one is asked for, what is made
// beside training, and who tells of one that could not be written.
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <thread>

#include "adapt/metrics.h"
#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/volatile_checkpoint.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/collective.h"
#include "checkpoint/periodic.h"
#include "heard.h"
#include "report/telemetry_client.h"
#include "rows.h"
#include "session/leave.h"
#include "standard_error.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Heard;
using batchscope::testing::Program;
using batchscope::testing::StandardError;
namespace fs = std::filesystem;

namespace {

// A state that cannot be written.
struct Unwritable final : checkpoint::State {
  Unwritable() : State("unwritable") {}
  void save(std::ostream&) override { throw Error(ErrorKind::io, "no room"); }
  void load(std::istream&) override {}
};

// A copy of it takes its time to be written.
struct Lengthy final : checkpoint::State {
  Lengthy() : State("lengthy") {}
  void sync() override {
    ++syncs;
    was_being_written = was_being_written || is_being_written;
  }
  void save(std::ostream& out) override { out << "planned"; }
  void load(std::istream&) override {}
  Writer snapshot() override {
    return [this, copied = syncs](std::ostream& out) {
      is_being_written = true;
      begun.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      out << "copied after " << copied;
      is_being_written = false;
    };
  }
  std::promise<void> begun;
  std::atomic<bool> is_being_written = false;
  bool was_being_written = false;
  int syncs = 0;
};

// An object that lives as long as the program.
struct Farewell {
  const char* words = "";
  ~Farewell() { std::fputs(words, stdout); }
} farewell;

// An epoch of five steps.
void five_steps(
    const std::function<void()>& after_step = [] {}, bool finite = true) {
  AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 2});
  for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
    for (auto loop = training.loop(); !loop.done(); loop.advance()) {
      metrics::commit_step({.gain = 1, .skipped = !finite, .gradient = {1, 10}});
      after_step();
    }
}

std::function<void()> raises(int signal, int value = 0, int rank = 0) {
  return [=] {
    if (metrics::steps() == 2 && replica_rank() == rank) ::sigqueue(::getpid(), signal, {.sival_int = value});
  };
}

// "manual, exit"
std::string reasons(const Heard& heard) {
  return heard.text_of<protocol::CheckpointWritten>([](const auto& written) { return written.reason; });
}

}  // namespace

class TestSaves : public QObject {
  Q_OBJECT

  static std::string error_of(const Program::Ended& ended) {
    return ended.said.empty() ? "nothing was thrown" : ended.said.back().value("error", "nothing was thrown");
  }
  static std::string told_of_saving(const Heard& heard, std::size_t rank) {
    std::string all;
    for (const protocol::Message& message : heard.messages.at(rank)) {
      if (const auto* notice = std::get_if<protocol::Notice>(&message)) all += notice->text + "\n";
      if (const auto* refused = std::get_if<protocol::Refused>(&message)) all += refused->text + "\n";
      if (const auto* fired = std::get_if<protocol::Triggered>(&message))
        all += "event " + std::to_string(fired->index) + "\n";
    }
    return all;
  }

 private Q_SLOTS:
  // --- where it lies ---

  // In memory where the next generation is about to begin with it and a supervisor puts it on disk; on disk
  // where a person asked for it or nobody may come.
  void eachLiesWhereItIsSafe_data() {
    const auto row = testing::columns<QString, int, int, bool, QString>(
        {"event", "signal", "value", "supervised", "places"});
    row("a scripted checkpoint", "step=2:checkpoint", 0, 0, true, "disk disk ");
    row("a scripted stop", "step=2:stop", 0, 0, true, "disk ");
    row("a scripted pause", "step=2:pause", 0, 0, true, "memory ");
    row("another number", "step=2:replicas=2", 0, 0, true, "memory ");
    row("a pause of nobody", "step=2:pause", 0, 0, false, "disk ");
    row("a person's checkpoint", "", SIGUSR1, 0, true, "disk disk ");
    row("a person's stop", "", SIGTERM, 0, true, "disk ");
    row("a restart", "", SIGTERM, protocol::kRestartFollows, true, "memory ");
    row("a restart of nobody", "", SIGTERM, protocol::kRestartFollows, false, "disk ");
    row("the end", "", 0, 0, true, "disk ");
  }
  void eachLiesWhereItIsSafe() {
    QFETCH(QString, event);
    QFETCH(int, signal);
    QFETCH(int, value);
    QFETCH(bool, supervised);
    QFETCH(QString, places);
    Program program;
    const std::string memory = program.path("memory");
    fs::create_directory(memory);
    program.variables[protocol::variable::kMemoryPath] = memory;
    if (!event.isEmpty())
      program.variables[protocol::variable::kTriggers] = "[\"" + event.toStdString() + "\"]";
    const auto work = [signal, value] { five_steps(signal ? raises(signal, value) : [] {}); };
    const StandardError kept;
    if (supervised)
      Heard(program, work);
    else
      program.run(work);
    std::string all;
    for (const fs::path& checkpoint : protocol::list_checkpoints(program.path("checkpoints"))) {
      all += protocol::is_volatile(checkpoint, memory) ? "memory " : "disk ";
      QVERIFY(fs::exists(checkpoint / "metrics"));
    }
    QCOMPARE(QString::fromStdString(all), places);
  }

  void beforeTheFirstStepItHoldsNone() {
    Program program;
    const Heard heard(program, [] {
      finished_epochs();
      checkpoint::save_all_states("manual");
    });
    const auto written = heard.of<protocol::CheckpointWritten>().at(0);
    QCOMPARE(written.step, 0);
    QCOMPARE(written.epoch, 0);
    QCOMPARE(written.progress, 0.0);
    QCOMPARE(written.last_step, 0.0);
  }

  // Also where the program has asked for none of it before.
  void itHoldsWhatEveryProgramHas() {
    Program program;
    program.run([] { checkpoint::save_all_states("manual"); });
    for (const char* state : {"metrics", "epochs", "loops"})
      QVERIFY2(fs::exists(protocol::list_checkpoints(program.path("checkpoints")).at(0) / state), state);
  }

  // A run of a thousand epochs keeps no list of them.
  void itHoldsWhatIsOfTheEpochAlone() {
    Program program;
    program.run([] {
      AdaptiveDataLoaderHelper training({.size = 4, .batch_size = 2});
      Accumulator<std::int64_t> sums;
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(3)) {
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        sums.synchronized();
        sums.clear();
      }
    });
    const auto state = [&](const char* name) {
      return testing::contents(protocol::list_checkpoints(program.path("checkpoints")).at(0) / name);
    };
    QCOMPARE(protocol::Json::parse(state("loops")).at("begun").dump(), "[[2,1]]");
    QCOMPARE(protocol::Json::parse(state("loader-train-0")).at("finished").size(), 1u);
    const auto histories = protocol::Json::from_cbor(state("accumulator-0")).at("histories");
    QCOMPARE(histories.size(), 1u);
    QCOMPARE(histories.at(0).at("epoch").get<int>(), 2);
  }

  // --- on request ---

  // Any of the replicas may be asked.
  void aRequestIsCarriedOutOnce() {
    for (const int rank : {0, 1}) {
      Program program;
      const Heard heard(
          program, [rank] { five_steps(raises(SIGUSR1, 0, rank)); }, 2);
      QCOMPARE(reasons(heard), "manual\nexit\n");
    }
  }

  void rankZeroAloneTellsWhatCouldNotBeWritten() {
    Program program;
    program.variables[protocol::variable::kTriggers] =
        R"(["step=1:pause","step=2:checkpoint","step=4:stop"])";
    const StandardError kept;
    const Heard heard(
        program,
        [] {
          Unwritable unwritable;
          five_steps(raises(SIGUSR1));
        },
        2);
    QCOMPARE(told_of_saving(heard, 0),
             "scripted event step=1:pause: no room\nno room\nevent 1\nno room\nevent 2\n"
             "no checkpoint could be written before the end: no room\n");
    QCOMPARE(told_of_saving(heard, 1), "");
    for (const auto& ended : heard.ended) QCOMPARE(ended.code, kExitFailure);
  }

  // Nobody is told that there is one.
  void aProgramByItselfSaysThatThereIsNone() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    const StandardError kept;
    program.run_replicas(2, [] {
      Unwritable unwritable;
      five_steps();
    });
    QCOMPARE(kept.text(), "batchscope: error: no checkpoint could be written before the end: no room\n");
  }

  // It is another replica's end, and not a disk's fault, that a checkpoint is not made.
  void aReplicaThatEndsMeanwhileIsNamed() {
    struct Leaving final : checkpoint::State {
      Leaving() : State("leaving") {}
      void sync() override {
        if (replica_rank() == 1) ::_exit(3);
      }
      void save(std::ostream& out) override { out << "x"; }
      void load(std::istream&) override {}
    };
    for (const char* event : {"step=1:stop", "step=1:checkpoint"}) {
      Program program;
      program.variables[protocol::variable::kTriggers] = "[\"" + std::string(event) + "\"]";
      const auto replicas = program.run_replicas(2, [] {
        Leaving leaving;
        five_steps();
      });
      VERIFY_HOLDS(error_of(replicas[0]), "replica 1 is gone: ");
    }
  }

  // Replicas that stay go on asking one another.
  void aRestartThatCannotBeMadeIsNotTheEnd() {
    Program program;
    const StandardError kept;
    const Heard heard(
        program,
        [] {
          Unwritable unwritable;
          five_steps(raises(SIGTERM, protocol::kRestartFollows, 1));
        },
        2);
    QCOMPARE(told_of_saving(heard, 0), "no room\nno room\n");  // then, and at the end
    for (const auto& ended : heard.ended) QCOMPARE(ended.code, 0);
  }

  // --- beside training ---

  void theyAreMadeFromTimeToTimeWhereAllIsWell() {
    for (const bool finite : {true, false}) {
      Program program;
      program.variables[protocol::variable::kCheckpointInterval] = "0.000001";
      const Heard heard(program, [finite] { five_steps(periodic::finish, finite); });
      QVERIFY(reasons(heard).ends_with("exit\n"));
      QCOMPARE(testing::holds(reasons(heard), "periodic\n"), finite);
      QVERIFY(heard.of<protocol::Notice>().empty());
    }
  }

  void nothingIsBeingWrittenWhenAPlannedOneBegins() {
    Program program;
    const auto ended = program.run([] {
      finished_epochs();
      Lengthy lengthy;
      periodic::checkpoint();
      lengthy.begun.get_future().wait();
      checkpoint::save_all_states("manual");
      Program::say(lengthy.was_being_written);
    });
    QCOMPARE(ended.said.at(0).dump(), "false");
    QCOMPARE(program.newest().reason, "manual");
    QCOMPARE(testing::contents(protocol::list_checkpoints(program.path("checkpoints")).at(0) / "lengthy"),
             "planned");
  }

  // It holds a copy of what all replicas have brought together.
  void whatHasBegunIsFinishedAtTheEnd() {
    Program program;
    const Heard heard(program, [] {
      finished_epochs();
      auto* const lengthy = new Lengthy;  // it outlives the end
      periodic::checkpoint();
      lengthy->begun.get_future().wait();
      std::exit(0);
    });
    QCOMPARE(heard.ended[0].code, 0);
    QCOMPARE(program.newest().reason, "periodic");
    QCOMPARE(testing::contents(protocol::list_checkpoints(program.path("checkpoints")).at(0) / "lengthy"),
             "copied after 1");
  }

  // --- the end of a program ---

  void anEndByItselfIsTold() {
    for (const int code : {0, 3}) {
      Program program;
      const Heard heard(program, [code] { std::exit(code); });
      QCOMPARE(heard.ended[0].code, code);
      QCOMPARE(std::get<protocol::Goodbye>(heard.messages[0].back()).code, code);
      QCOMPARE(heard.of<protocol::Failure>().size(), code == 0 ? 0u : 1u);
    }
  }

  // However it ends; objects of the program are destroyed where it ends by itself.
  void theLastWordsAreWritten() {
    for (const bool leaves : {true, false}) {
      Program program;
      const std::string words = program.path("words");
      const auto ended = program.run([words, leaves] {
        std::ios::sync_with_stdio(false);
        farewell.words = ", farewell";
        if (!std::freopen(words.c_str(), "w", stdout)) ::_exit(9);
        std::printf("by a file");
        std::cout << "by a stream ";
        if (leaves) leave(5);
        leave_libraries_behind();
        std::exit(5);
      });
      QCOMPARE(ended.code, 5);
      QCOMPARE(testing::contents(words), std::string("by a stream by a file") + (leaves ? "" : ", farewell"));
    }
  }

  // A replica's end is told as such, and calls that do not fit together are not.
  void whoseFaultItIsIsTold() {
    const auto kinds = [](const std::function<void()>& work) {
      Program program;
      program.variables[protocol::variable::kCollectiveTimeout] = "0.2";
      program.variables[protocol::variable::kMeetingTimeout] = "20";
      const Heard heard(program, work, 2);
      return heard.text_of<protocol::Failure>(
          [](const auto& failure) { return failure.kind + ": " + failure.text; });
    };
    QCOMPARE(kinds([] {
               telemetry_flush();
               if (replica_rank() == 1) ::_exit(3);
               collective::sum("a", 1);
             }),
             "peer: replica 1 is gone: its connection ended before sum 'a'\n");
    QCOMPARE(kinds([] {
               if (replica_rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
               collective::sum("a", 1);
             }),
             "peer: replica 1 did not take part in sum 'a' in time\n");
    QCOMPARE(kinds([] { collective::sum(replica_rank() == 1 ? "a" : "b", 1); }), "exit: \n");
  }

  void whatIsOverIsSaidOfAnEarlierRunAlone() {
    Program program;
    const StandardError kept;
    program.run([] {
      five_steps();
      five_steps();  // nothing is left, of this run itself
    });
    program.run([] {
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(0)) {
      }
    });
    QCOMPARE(kept.text(), "");
  }
};

BATCHSCOPE_TEST(TestSaves)
#include "test_saves.moc"
