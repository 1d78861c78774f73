// SPDX-License-Identifier: Apache-2.0
//
// All that a supervisor is told of a program, from its hello to its goodbye: where it is, what it has done,
// what it could not do, and that rank 0 alone tells it.
#include <fmt/format.h>
#include <signal.h>

#include <functional>

#include "adapt/metrics.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/record.h"
#include "heard.h"
#include "report/telemetry_client.h"
#include "rows.h"
#include "session/leave.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Heard;
using batchscope::testing::Program;

namespace {

// A state that cannot be written.
struct Broken final : checkpoint::State {
  Broken() : State("broken") {}
  void save(std::ostream&) override { throw Error(ErrorKind::io, "no room"); }
  void load(std::istream&) override {}
};

std::string mark_text(const protocol::EpochMark& mark) {
  return fmt::format("{} {} at {}", mark.epoch, mark.begin ? "begins" : "ends", mark.step);
}
std::string position_text(const protocol::Position& at) {
  return fmt::format("{} of {}, {} {} {}", at.epoch, at.epochs, at.loop, at.fraction, at.progress);
}
std::string ledger_text(const protocol::LedgerEntry& entry) {
  return fmt::format("{} {}.{} {}-{} of {}, padding {}, step {}", entry.loader, entry.epoch, entry.pass,
                     entry.from, entry.to, entry.dataset_size, entry.padding, entry.step);
}
std::string checkpoint_text(const protocol::CheckpointWritten& written) {
  return fmt::format("{} {} step {} epoch {} progress {}", written.name, written.reason, written.step,
                     written.epoch, written.progress);
}
std::string notice_text(const protocol::Notice& notice) {
  return fmt::format("{} at {}: {}", notice.level, notice.step, notice.text);
}
std::string refused_text(const protocol::Refused& refused) {
  return fmt::format("at {}: {}", refused.step, refused.text);
}
std::string triggered_text(const protocol::Triggered& triggered) {
  return fmt::format("{} at {}", triggered.index, triggered.step);
}

// Two epochs of 10 samples, 3 a step, each with a validation of 7 samples, 4 at a time.
void train_and_record(const std::function<void()>& after_step = [] {}) {
  AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3}),
      validation({.size = 7, .batch_size = 4, .training = false});
  for (const int epoch : remaining_epochs_until(2)) {
    for (auto loop = training.loop(); !loop.done(); loop.advance()) {
      record("loss", static_cast<double>(metrics::steps()));
      record("loss", static_cast<double>(metrics::steps() + 1));
      metrics::commit_step({.gain = 1, .gradient = {1, 10}});
      telemetry_flush();
      after_step();
    }
    for (auto loop = validation.loop(); !loop.done(); loop.advance()) {
      record("accuracy", epoch + 0.25);
      telemetry_flush();
    }
  }
}

}  // namespace

class TestTold : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // --- a whole program ---

  void theFirstAndTheLastWordSayWhoItIs() {
    Program program;
    program.variables[protocol::variable::kThreads] = "3";
    for (const int generation : {0, 1}) {
      const Heard heard(program, [] { train_and_record(); });
      const auto& hello = std::get<protocol::Hello>(heard.messages.at(0).at(0));
      QCOMPARE(hello.rank, 0);
      QCOMPARE(hello.generation, generation);
      QVERIFY(hello.pid > 0 && hello.pid != ::getpid());
      QCOMPARE(hello.backend, "none");
      QCOMPARE(hello.device, "cpu");
      QCOMPARE(hello.library, "C++");
      QCOMPARE(hello.threads, 3);
      QVERIFY(!hello.forked && !hello.serves && hello.heartbeats && hello.checkpoints);
      QVERIFY(hello.started > 0 && hello.started <= hello.mono);
      const auto& goodbye = std::get<protocol::Goodbye>(heard.messages.at(0).back());
      QCOMPARE(goodbye.rank, 0);
      QCOMPARE(goodbye.code, 0);
      QCOMPARE(goodbye.step, generation == 0 ? 8 : 0);  // the second has nothing to do
      QVERIFY(goodbye.mono >= hello.mono);
      QVERIFY(!heard.of<protocol::Failure>().size());
    }
  }

  void itSaysWhereItIs() {
    Program program;
    const Heard heard(program, [] { train_and_record(); });
    QCOMPARE(heard.text_of<protocol::EpochMark>(mark_text),
             "0 begins at 0\n0 ends at 4\n1 begins at 4\n1 ends at 8\n");
    QCOMPARE(heard.text_of<protocol::Position>(position_text),
             "0 of 2, train 0.3 1\n0 of 2, train 0.6 2\n0 of 2, train 0.9 3\n0 of 2, train 1 4\n"
             "0 of 2, validate 0.5714285714285714 4\n0 of 2, validate 1 4\n"
             "1 of 2, train 0.3 5\n1 of 2, train 0.6 6\n1 of 2, train 0.9 7\n1 of 2, train 1 8\n"
             "1 of 2, validate 0.5714285714285714 8\n1 of 2, validate 1 8\n");
    QCOMPARE(heard.text_of<protocol::CheckpointWritten>(checkpoint_text),
             "checkpoint-000000 exit step 8 epoch 2 progress 8\n");
    QCOMPARE(heard.text_of<protocol::LedgerEntry>(ledger_text),
             "train-0 0.0 0-10 of 10, padding 0, step 4\nvalidate-0 0.0 0-7 of 7, padding 0, step 4\n"
             "train-0 1.0 0-10 of 10, padding 0, step 8\nvalidate-0 1.0 0-7 of 7, padding 0, step 8\n");
    double last = 0;
    for (const protocol::Position& at : heard.of<protocol::Position>())
      QVERIFY(at.mono >= std::exchange(last, at.mono));
    QVERIFY(last > 0 && last <= protocol::monotonic_seconds());
    const auto restored = heard.of<protocol::Restored>();
    QCOMPARE(restored.size(), 1u);
    QCOMPARE(restored[0].checkpoint, "");
    QCOMPARE(restored[0].step, 0);
  }

  void outsideOfEpochsNobodyKnowsHowManyThereAre() {
    Program program;
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper validation({.size = 4, .batch_size = 2, .training = false});
      for (auto loop = validation.loop(); !loop.done(); loop.advance()) telemetry_flush();
    });
    QCOMPARE(heard.text_of<protocol::Position>(position_text),
             "0 of 0, validate 0.5 0\n0 of 0, validate 1 0\n");
  }

  // In a step as the mean of the step, and else by themselves.
  void itTellsWhatAProgramRecords() {
    Program program;
    const Heard heard(program, [] {
      record_hyperparameters({{"lr", "0.1"}});
      record("before", 7);
      train_and_record();
    });
    QCOMPARE(heard.column("loss"), (std::vector<double>{0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5}));
    QCOMPARE(heard.column("epoch"), (std::vector<double>{0.3, 0.6, 0.9, 1, 1.3, 1.6, 1.9, 2}));
    QCOMPARE(
        heard.text_of<protocol::Scalar>([](const protocol::Scalar& scalar) {
          return fmt::format("{} {} at {}", scalar.name, scalar.value, scalar.step);
        }),
        "before 7 at 0\naccuracy 0.25 at 4\naccuracy 0.25 at 4\naccuracy 1.25 at 8\naccuracy 1.25 at 8\n");
    const auto hyperparameters = heard.of<protocol::Hyperparameters>();
    QCOMPARE(hyperparameters.size(), 1u);
    QCOMPARE(hyperparameters[0].values, (std::map<std::string, std::string>{{"lr", "0.1"}}));
  }

  void rankZeroAloneTellsOfTheRun() {
    Program program;
    const Heard heard(
        program,
        [] {
          record_hyperparameters({{"lr", "0.1"}});
          train_and_record();
        },
        2);
    QCOMPARE(heard.messages.size(), 2u);
    for (const protocol::Message& message : heard.messages[1])
      QVERIFY2(std::holds_alternative<protocol::Hello>(message) ||
                   std::holds_alternative<protocol::Restored>(message) ||
                   std::holds_alternative<protocol::Heartbeat>(message) ||
                   std::holds_alternative<protocol::Goodbye>(message),
               protocol::encode(message).c_str());
    QCOMPARE(heard.of<protocol::Restored>(1).at(0).rank, 1);
    QCOMPARE(heard.of<protocol::Goodbye>(1).at(0).rank, 1);
    QCOMPARE(heard.values("batch_size").at(1), 4.0);
    QCOMPARE(heard.values("scale").at(1), 4.0 / 3);
    // The last micro-batch of 4 has 2 samples, one of each replica.
    QCOMPARE(heard.text_of<protocol::LedgerEntry>(ledger_text),
             "train-0 0.0 0-10 of 10, padding 0, step 3\nvalidate-0 0.0 0-7 of 7, padding 0, step 3\n"
             "train-0 1.0 0-10 of 10, padding 0, step 6\nvalidate-0 1.0 0-7 of 7, padding 0, step 6\n");
  }

  // Five replicas take two samples each a step: 10, 10 and 3 of 23, where two of them have none.
  void paddingIsInTheLedger() {
    Program program;
    const Heard heard(
        program,
        [] {
          AdaptiveDataLoaderHelper training({.size = 23, .batch_size = 8}),
              other({.size = 3, .batch_size = 8}),
              validation({.size = 6, .batch_size = 5, .training = false});
          for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
            AdaptiveDataLoaderHelper inside({.size = 5, .batch_size = 5});
            for (AdaptiveDataLoaderHelper* const one : {&training, &other, &inside, &validation})
              for (auto loop = one->loop(); !loop.done(); loop.advance())
                if (one->training()) metrics::commit_step({.gain = 1, .gradient = {1, 10}});
          }
        },
        5);
    QCOMPARE(heard.text_of<protocol::LedgerEntry>(ledger_text),
             "train-0 0.0 0-23 of 23, padding 2, step 3\ntrain-1 0.0 0-3 of 3, padding 2, step 4\n"
             "train-epoch0-0 0.0 0-5 of 5, padding 0, step 5\n"
             "validate-0 0.0 0-6 of 6, padding 0, step 5\n");
  }

  // Where no checkpoint holds it at the end; after a failure nobody can say how far the run is.
  void theLedgerIsToldBeforeAGoodbyeThatIsNoFailure() {
    for (const int code : {0, 1}) {
      Program program;
      const Heard heard(program, [code] {
        train_and_record([code] {
          if (metrics::steps() == 8) leave(code);
        });
      });
      QCOMPARE(heard.text_of<protocol::LedgerEntry>(ledger_text),
               code == 0 ? "train-0 0.0 0-10 of 10, padding 0, step 4\n"
                           "validate-0 0.0 0-7 of 7, padding 0, step 4\n"
                         : "");
      QCOMPARE(heard.of<protocol::Failure>().size(), code == 0 ? 0u : 1u);
    }
  }

  // --- events and requests ---

  void aStopAndTheStartAfterItAreTold() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:checkpoint","epoch=1:stop"])";
    const Heard first(program, [] { train_and_record(); });
    QCOMPARE(first.ended[0].code, kExitCheckpointed);
    QCOMPARE(first.text_of<protocol::Triggered>(triggered_text), "0 at 2\n1 at 4\n");
    QCOMPARE(first.text_of<protocol::CheckpointWritten>(checkpoint_text),
             "checkpoint-000000 trigger step 2 epoch 0 progress 2\n"
             "checkpoint-000001 trigger step 4 epoch 1 progress 4\n");
    QCOMPARE(first.text_of<protocol::LedgerEntry>(ledger_text),
             "train-0 0.0 0-6 of 10, padding 0, step 2\ntrain-0 0.0 6-10 of 10, padding 0, step 4\n"
             "validate-0 0.0 0-7 of 7, padding 0, step 4\n");
    QCOMPARE(first.of<protocol::Goodbye>().at(0).code, kExitCheckpointed);
    QVERIFY(!first.of<protocol::Failure>().size());
    const Heard second(program, [] { train_and_record(); });
    QCOMPARE(second.of<protocol::Restored>().at(0).checkpoint, "checkpoint-000001");
    QCOMPARE(second.of<protocol::Restored>().at(0).step, 4);
    QCOMPARE(second.text_of<protocol::EpochMark>(mark_text), "1 ends at 8\n");
    QVERIFY(second.of<protocol::Triggered>().empty());
  }

  void anEpochWithoutLoopsIsToldToo() {
    Program program;
    const Heard heard(program, [] {
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(2)) {
      }
    });
    QCOMPARE(heard.text_of<protocol::EpochMark>(mark_text),
             "0 begins at 0\n0 ends at 0\n1 begins at 0\n1 ends at 0\n");
  }

  // An epoch that was begun before is not begun again.
  void anEpochBeginsOnce() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
    const Heard first(program, [] { train_and_record(); }), second(program, [] { train_and_record(); });
    QCOMPARE(first.text_of<protocol::EpochMark>(mark_text), "0 begins at 0\n");
    QCOMPARE(second.text_of<protocol::EpochMark>(mark_text), "0 ends at 4\n1 begins at 4\n1 ends at 8\n");
  }

  void whatCannotBeWrittenIsTold_data() {
    const auto row = testing::columns<QString, QString, int>({"action", "told", "code"});
    const QString end = "error at 8: no room\n";  // of the checkpoint at the end
    row("checkpoint", "checkpoint", "error at 2: no room\n0 at 2\n" + end, 0);
    row("pause", "pause", "at 2: scripted event step=2:pause: no room\n" + end, 0);
    row("replicas", "replicas=2", "at 2: scripted event step=2:replicas=2: no room\n" + end, 0);
    row("stop", "stop", "0 at 2\nerror at 2: no checkpoint could be written before the end: no room\n",
        kExitFailure);
  }
  void whatCannotBeWrittenIsTold() {
    QFETCH(QString, action);
    QFETCH(QString, told);
    QFETCH(int, code);
    Program program;
    program.variables[protocol::variable::kTriggers] = "[\"step=2:" + action.toStdString() + "\"]";
    const Heard heard(program, [] {
      Broken broken;
      train_and_record();
    });
    QCOMPARE(heard.ended[0].code, code);
    QCOMPARE(QString::fromStdString(what_was_said(heard)), told);
  }

  void whatCannotBeWrittenOnRequestIsTold_data() {
    const auto row = testing::columns<int, int, QString, int>({"signal", "value", "told", "code"});
    const QString end = "error at 8: no room\n";
    row("a person's", SIGUSR1, 0, "error at 5: no room\n" + end, 0);
    row("a restart", SIGTERM, protocol::kRestartFollows, "at 5: no room\n" + end, 0);
    row("an end", SIGTERM, 0, "error at 5: no checkpoint could be written before the end: no room\n",
        kExitFailure);
  }
  void whatCannotBeWrittenOnRequestIsTold() {
    QFETCH(int, signal);
    QFETCH(int, value);
    QFETCH(QString, told);
    QFETCH(int, code);
    Program program;
    const Heard heard(program, [signal, value] {
      Broken broken;
      train_and_record([signal, value] {
        if (metrics::steps() == 5) ::sigqueue(::getpid(), signal, {.sival_int = value});
      });
    });
    QCOMPARE(heard.ended[0].code, code);
    QCOMPARE(QString::fromStdString(what_was_said(heard)), told);
  }

  void aRestartThatIsAskedForLeavesACheckpoint() {
    Program program;
    const Heard heard(program, [] {
      train_and_record([] {
        if (metrics::steps() == 5) ::sigqueue(::getpid(), SIGTERM, {.sival_int = protocol::kRestartFollows});
      });
    });
    QCOMPARE(heard.ended[0].code, kExitCheckpointed);
    QCOMPARE(heard.text_of<protocol::CheckpointWritten>(checkpoint_text),
             "checkpoint-000000 exit step 5 epoch 1 progress 5\n");
  }

 private:
  static std::string what_was_said(const Heard& heard) {
    std::string all;
    for (const protocol::Message& message : heard.messages.at(0)) {
      if (const auto* notice = std::get_if<protocol::Notice>(&message)) all += notice_text(*notice) + "\n";
      if (const auto* refused = std::get_if<protocol::Refused>(&message))
        all += refused_text(*refused) + "\n";
      if (const auto* fired = std::get_if<protocol::Triggered>(&message))
        all += triggered_text(*fired) + "\n";
    }
    return all;
  }
};

BATCHSCOPE_TEST(TestTold)
#include "test_told.moc"
