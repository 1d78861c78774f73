// SPDX-License-Identifier: Apache-2.0
//
// The checkpoint that a program begins with, where some cannot be used, and one that takes its time to be
// written.
#include <fstream>
#include <thread>

#include "batchscope/replica/checkpoint.h"
#include "heard.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using batchscope::testing::Heard;
using batchscope::testing::Program;
namespace fs = std::filesystem;

class TestRestored : public QObject {
  Q_OBJECT

  static std::string error_of(const Program::Ended& ended) {
    return ended.said.empty() ? "nothing was thrown" : ended.said.back().value("error", "nothing was thrown");
  }
  static void save(int checkpoints) {
    finished_epochs();
    for (int i = 0; i < checkpoints; ++i) checkpoint::save_all_states("manual");
  }
  static void begin() {
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
    }
  }

 private Q_SLOTS:
  // Training would begin anew, and a person's work be lost.
  void whereNoneIsGoodNobodyBegins() {
    Program program;
    program.run([] { save(2); });
    for (const auto& checkpoint : protocol::list_checkpoints(program.path("checkpoints")))
      fs::remove(checkpoint / "metrics");
    const Heard heard(program, [] { begin(); });
    QCOMPARE(heard.ended[0].code, 1);
    const std::string why = error_of(heard.ended[0]);
    VERIFY_HOLDS(why, "none of the checkpoints in " + program.path("checkpoints") + " is good",
                 "\n  checkpoint-000001", "\n  checkpoint-000000");
    const auto failures = heard.of<protocol::Failure>();
    QCOMPARE(failures.size(), 1u);
    QCOMPARE(failures[0].kind, "exception");
    VERIFY_HOLDS(failures[0].text, "none of the checkpoints in ");
  }

  void aStateIsLoadedWhereThereIsACheckpointOfIt() {
    struct Mine final : checkpoint::State {
      Mine() : State("mine") {}
      void save(std::ostream& out) override { out << "x"; }
      void load(std::istream&) override {}
    };
    Program program;
    for (const bool loaded : {false, true}) {
      const auto ended = program.run([] {
        Mine mine;
        Program::say(checkpoint::load_state(mine));
        checkpoint::save_all_states("manual");
      });
      QCOMPARE(ended.said.at(0).get<bool>(), loaded);
    }
  }

  void whatCouldNotBeLoadedBeforeIsPassedOver() {
    Program program;
    program.run([] { save(2); });
    const auto restored = [&](const char* unloadable) {
      program.variables[protocol::variable::kUnloadable] = unloadable;
      const Heard heard(program, [] { finished_epochs(); });
      const auto notices = heard.of<protocol::Notice>();
      return notices.empty() ? error_of(heard.ended[0]) : notices[0].text;
    };
    QCOMPARE(restored(""), "nothing was thrown");
    QCOMPARE(restored(R"({"checkpoint-000001":"it ends"})"),
             "skipped a checkpoint that is not good: checkpoint-000001: it ends; used the one before it");
    VERIFY_HOLDS(restored("[1]"), "BATCHSCOPE_UNLOADABLE_CHECKPOINTS is not a JSON object of texts: ");
  }

  // The others wait for as long as rank 0 writes, though no collective may take as long.
  void aSlowDiskKeepsTheOthersWaiting() {
    struct Slow final : checkpoint::State {
      Slow() : State("slow") {}
      void save(std::ostream& out) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(2000));  // the disk
        out << "x";
      }
      void load(std::istream&) override {}
    };
    Program program;
    program.variables[protocol::variable::kCollectiveTimeout] = "0.6";
    for (const auto& replica : program.run_replicas(2, [] {
           finished_epochs();
           Slow slow;
           checkpoint::save_all_states("manual");
         }))
      QCOMPARE(error_of(replica), "nothing was thrown");
    QCOMPARE(testing::contents(protocol::list_checkpoints(program.path("checkpoints")).at(0) / "slow"), "x");
  }
};

BATCHSCOPE_TEST(TestRestored)
#include "test_restored.moc"
