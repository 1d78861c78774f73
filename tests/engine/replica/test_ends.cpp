// SPDX-License-Identifier: Apache-2.0
//
// How a replica ends: what it says of an end that nobody wanted, of gradients that are not finite, and of
// where its work lies; and the signals that ask it to leave.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "adapt/metrics.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/epoch.h"
#include "heard.h"
#include "process/signals.h"
#include "report/failure.h"
#include "report/telemetry_client.h"
#include "session/non_finite_step.h"
#include "standard_error.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Heard;
using batchscope::testing::Program;
using batchscope::testing::StandardError;

class TestEnds : public QObject {
  Q_OBJECT

  static std::string failures(const Heard& heard) {
    return heard.text_of<protocol::Failure>([](const protocol::Failure& failure) {
      return failure.kind + " at " + std::to_string(failure.step) + ", " +
             std::to_string(failure.local_batch_size) + " samples: " + failure.text;
    });
  }
  // A replica ends while a step of three samples is under way.
  template <class End>
  static std::string failures_of(End end) {
    Program program;
    return failures(Heard(program, [end] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) {
          if (loop.number() == 2) end();
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        }
    }));
  }

 private Q_SLOTS:
  // --- ends that nobody wanted ---

  void anExceptionThatNobodyCatchesIsTold() {
    const StandardError kept;
    QCOMPARE(failures_of([] {
               std::thread([] {
                 throw std::runtime_error("no memory\nException raised from allocate at memory.cpp:7");
               }).join();
             }),
             "exception at 2, 3 samples: std::runtime_error: no memory\n");
    QCOMPARE(failures_of([] { std::thread([] { throw 5; }).join(); }),
             "exception at 2, 3 samples: an exception of type int\n");
    // The library says what it always says.
    VERIFY_HOLDS(kept.text(), "terminate called after throwing an instance of 'std::runtime_error'",
                 "terminate called after throwing an instance of 'int'");
  }

  // Before the program is aborted, however much there is to be sent before it.
  void anExceptionIsToldInAnyCase() {
    const QTemporaryDir folder;
    testing::TelemetryListener listener(folder.filePath("telemetry").toStdString());
    const StandardError kept;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGABRT, SIG_DFL);
      telemetry_start(listener.environment());
      tell_unexpected_ends();
      for (std::int64_t step = 1; step <= 19'000; ++step)
        send_step(step, {{"loss", 1.0 / (0.3 + static_cast<double>(step))}});
      std::thread([] { throw std::runtime_error("no memory"); }).join();
    }
    listener.accept();
    QTest::qWait(30);
    const auto messages = listener.read_until([](const auto&) { return false; });
    ::waitpid(child, nullptr, 0);
    const auto told = std::ranges::count_if(messages, [](const auto& message) {
      const auto* failure = std::get_if<protocol::Failure>(&message);
      return failure && failure->text == "std::runtime_error: no memory";
    });
    QCOMPARE(told, 1);
  }

  void anExitCodeThatSpeaksOfFailureIsTold() {
    QCOMPARE(failures_of([] { leave(7); }), "exit at 2, 3 samples: \n");
    for (const int code : {kExitOk, kExitCheckpointed}) QCOMPARE(failures_of([code] { leave(code); }), "");
  }

  // All that follows is a consequence, but for what is found out of another replica.
  void theFirstAccountCounts() {
    QCOMPARE(failures_of([] {
               tell_failure("exception", std::string(1500, 'x'));
               tell_failure("exception", "another");
               tell_peer_failure(Error(ErrorKind::failure, "replica 1 is gone"));
               leave(1);
             }),
             "exception at 2, 3 samples: " + std::string(1000, 'x') +
                 "\npeer at 2, 3 samples: replica 1 is gone\n");
  }

  void aFailureSaysWhoseAndWhenItIs() {
    Program program;
    const Heard heard(
        program, [] { leave(replica_rank() == 1 ? 7 : 0); }, 2);
    const auto failures = heard.of<protocol::Failure>(1);
    QCOMPARE(failures.size(), 1u);
    QCOMPARE(failures[0].rank, 1);
    QCOMPARE(failures[0].local_batch_size, 0);  // none is under way
    QVERIFY(failures[0].mono > 0 && failures[0].mono <= protocol::monotonic_seconds());
    QVERIFY(heard.of<protocol::Failure>(0).empty());
  }

  void betweenLoopsNothingIsUnderWay() {
    Program program;
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3}),
          validation({.size = 10, .batch_size = 4, .training = false});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1)) {
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
        const auto loop = validation.loop();
        leave(1);
      }
    });
    QCOMPARE(failures(heard), "exit at 4, 0 samples: \n");
  }

  // Nobody is left who would end it.
  void anOrphanThatDoesNotLeaveEndsItself() {
    const QTemporaryDir folder;
    testing::TelemetryListener listener(folder.filePath("telemetry").toStdString());
    const StandardError kept;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      telemetry_start(listener.environment(), {}, std::chrono::milliseconds(50));
      for (;;) ::pause();
    }
    listener.accept();
    listener.hang_up();
    int status = 0;
    ::waitpid(child, &status, 0);
    QCOMPARE(WIFEXITED(status) ? WEXITSTATUS(status) : -1, kExitFailure);
    QCOMPARE(kept.text(),
             "batchscope: the supervisor is gone; checkpointing and leaving\n"
             "batchscope: the checkpoint after the supervisor's end took too long; ending without it\n");
  }

  // --- gradients that are not finite ---

  void suchStepsAreToldTheMoreSeldomTheMoreTheyAre() {
    Program program;
    const Heard heard(program, [] {
      for (std::int64_t count = 1; count <= 1000; ++count) after_non_finite_step({5 * count, count, 1});
    });
    const std::string what = ": the gradient holds NaN or infinity, and was not applied on any replica; ";
    QCOMPARE(
        heard.text_of<protocol::Notice>([](const auto& notice) { return notice.level + " " + notice.text; }),
        "warning step 5" + what + "reported again at the 10th, 100th, ... such step\n" + "warning step 50" +
            what + "it is the 10th such step\nwarning step 500" + what +
            "it is the 100th such step\nwarning step 5000" + what + "it is the 1000th such step\n");
    const Heard both(
        program,
        [] {
          after_non_finite_step({5, 1, 1});
        },
        2);
    QCOMPARE(both.of<protocol::Notice>(0).size(), 1u);
    QCOMPARE(both.of<protocol::Notice>(1).size(), 0u);
  }

  void whereGoingOnHelpsNobodyTheReasonIsTold() {
    const StandardError kept;
    const auto told = [](const NonFiniteStep& step, const char* policy) {
      Program program;
      program.variables[protocol::variable::kNonFinite] = policy;
      const Heard heard(program, [step] { after_non_finite_step(step); });
      return heard.text_of<protocol::Failure>(
          [](const auto& failure) { return failure.kind + ": " + failure.text; });
    };
    const std::string what =
        "non_finite: step 5: the gradient holds NaN or infinity, and was not applied on any replica";
    QCOMPARE(told({5, 99, 99}, "skip"), "");
    QCOMPARE(told({5, 100, 100}, "skip"), what + "; the same happened in all of the last 100 steps\n");
    QCOMPARE(told({5, 1, 1, true}, "skip"),
             what + "; but NaN is now in buffers of the model, such as running statistics\n");
    QCOMPARE(told({5, 1, 1}, "restore"), what + "\n");
    QVERIFY(!testing::holds(kept.text(), "run the program again"));  // the supervisor does
  }

  // --- programs that nobody supervises say it themselves ---

  void whereTheWorkLiesIsSaid() {
    const auto train = [] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
    };
    for (const int replicas : {1, 2}) {
      Program program;
      const std::string place = program.path("checkpoints");
      program.variables[protocol::variable::kTriggers] = R"(["step=2:stop"])";
      const auto said = [&](int count) {
        const StandardError kept;
        program.run_replicas(count, train);
        return kept.text();
      };
      QCOMPARE(said(replicas),
               "batchscope: checkpoint written to " + place + "; run the program again to resume\n");
      QCOMPARE(said(1), "");
      QCOMPARE(said(replicas), "batchscope: 1 of 1 epochs are finished in " + place +
                                   "; remove it to start from the beginning\n");
      const StandardError kept;
      Program().run_replicas(replicas, [] { after_non_finite_step({5, 1, 1, true}); });
      VERIFY_HOLDS(kept.text(), "; run the program again to go on from the last checkpoint\n");
      QCOMPARE(kept.count("run the program again"), 1);
    }
  }

  void aRunThatIsSupervisedSaysNothingOfIt() {
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    const StandardError kept;
    const Heard heard(program, [] {
      AdaptiveDataLoaderHelper training({.size = 10, .batch_size = 3});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance())
          metrics::commit_step({.gain = 1, .gradient = {1, 10}});
    });
    QCOMPARE(heard.ended[0].code, kExitCheckpointed);
    QCOMPARE(kept.text(), "");
  }

  // --- signals ---

  void eachSignalAsksForItsOwn() {
    Program program;
    const auto pending = [&](int signal, int value, bool queued) {
      const auto ended = program.run([=] {
        if (queued)
          ::sigqueue(::getpid(), signal, {.sival_int = value});
        else
          ::raise(signal);
        Program::say(pending_request() == ExitRequest::checkpoint               ? "checkpoint"
                     : pending_request() == ExitRequest::checkpoint_and_exit    ? "exit"
                     : pending_request() == ExitRequest::checkpoint_and_restart ? "restart"
                                                                                : "nothing");
      });
      return ended.said.at(0).get<std::string>();
    };
    QCOMPARE(pending(SIGUSR1, 0, false), "checkpoint");
    QCOMPARE(pending(SIGTERM, 0, false), "exit");
    QCOMPARE(pending(SIGINT, 0, false), "exit");
    QCOMPARE(pending(SIGTERM, protocol::kRestartFollows, true), "restart");
    QCOMPARE(pending(SIGTERM, 2, true), "exit");
    QCOMPARE(pending(SIGUSR1, protocol::kRestartFollows, true), "checkpoint");
    QCOMPARE(pending(SIGXFSZ, 0, false), "nothing");  // a file that may not grow is a full disk
  }

  void whoInterruptsTwiceDoesNotWait() {
    QCOMPARE(Program()
                 .run([] {
                   ::raise(SIGINT);
                   ::raise(SIGINT);
                 })
                 .code,
             130);
  }

  void theStrongestRequestCounts() {
    const std::vector<ExitRequest> weakest_first{ExitRequest::nothing, ExitRequest::periodic_checkpoint,
                                                 ExitRequest::checkpoint, ExitRequest::checkpoint_and_restart,
                                                 ExitRequest::checkpoint_and_exit};
    for (std::size_t a = 0; a < weakest_first.size(); ++a)
      for (std::size_t b = 0; b < weakest_first.size(); ++b) {
        raise_request(weakest_first[a]);
        raise_request(weakest_first[b]);
        QVERIFY(pending_request() == weakest_first[std::max(a, b)]);
        clear_request(weakest_first[b]);
        QVERIFY(pending_request() == (a <= b ? ExitRequest::nothing : weakest_first[a]));
        clear_request(ExitRequest::checkpoint_and_exit);
      }
  }
};

BATCHSCOPE_TEST(TestEnds)
#include "test_ends.moc"
