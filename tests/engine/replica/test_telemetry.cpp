// SPDX-License-Identifier: Apache-2.0
//
// The line to the supervisor: every step arrives, whatever the reader does; and its end is noticed.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>

#include "batchscope/protocol/error.h"
#include "listener.h"
#include "process/process.h"
#include "process/session.h"
#include "process/signals.h"
#include "report/failure.h"
#include "report/telemetry_client.h"
#include "report/telemetry_queue.h"
#include "report/tensorboard.h"
#include "standard_error.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::TelemetryListener;

namespace {

constexpr std::chrono::seconds kPatience{20};  // where somebody reads, on a busy machine too

Row values(std::int64_t step) {
  return {{"mono", static_cast<double>(step)}, {"gain", 1.0 / static_cast<double>(step)}};
}

}  // namespace

class TestTelemetry : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;
  int sockets_ = 0;
  std::string new_path() { return (directory_.filePath(QString::number(sockets_++))).toStdString(); }

  // This process's line to it is open.
  std::unique_ptr<TelemetryListener> connect() {
    auto supervisor = std::make_unique<TelemetryListener>(new_path());
    telemetry_start(supervisor->environment());
    supervisor->accept();
    return supervisor;
  }

  // Far more steps than a socket holds that nobody reads from.
  static void fill() {
    for (std::int64_t step = 1; step <= 100'000; ++step) send_step(step, values(step));
    QTest::qWait(100);
  }
  // Returns the processor time of this process so far, in s.
  static double used() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  // The next one that `is` it.
  template <class Is>
  static protocol::Heartbeat heartbeat(TelemetryListener& listener, Is is) {
    const auto messages = listener.read_until([&](const auto& message) {
      const auto* beat = std::get_if<protocol::Heartbeat>(&message);
      return beat && is(*beat);
    });
    return std::get<protocol::Heartbeat>(messages.back());
  }

 private Q_SLOTS:
  void rows_become_columns_and_occasional_values_scalars() {
    const auto messages = pack_steps(
        {{7, {{"mono", 1}, {"loss", std::nan("")}}}, {8, {{"mono", 2}, {"loss", 3}, {"accuracy", 0.5}}}}, 4);
    QCOMPARE(messages.size(), 2u);
    const auto& steps = std::get<protocol::Steps>(messages[0]);
    QCOMPARE(steps.first_step, 7);
    QCOMPARE(steps.dropped, 4);
    QCOMPARE(steps.columns.size(), 2u);
    QVERIFY(std::isnan(steps.columns.at("loss")[0]));
    QCOMPARE(steps.columns.at("mono"), (std::vector<double>{1, 2}));
    const auto& scalar = std::get<protocol::Scalar>(messages[1]);
    QCOMPARE(scalar.name, std::string("accuracy"));
    QCOMPARE(scalar.step, 8);
    QCOMPARE(scalar.mono, 2.0);
    const auto timeless = pack_steps({{9, {{"accuracy", 1}}}, {10, {}}}, 0);  // of a program's own
    QCOMPARE(timeless.size(), 2u);
    QVERIFY(std::get<protocol::Steps>(timeless[0]).columns.empty());
    QCOMPARE(std::get<protocol::Scalar>(timeless[1]).mono, 0.0);
  }

  void the_queue_keeps_the_order_and_counts_what_overflows() {
    TelemetryQueue queue(3);
    QVERIFY(queue.push(StepRow{1, values(1)}));
    QVERIFY(!queue.push(StepRow{2, values(2)}));
    QVERIFY(queue.push(protocol::Notice{"info", "between", 2}));
    queue.push(StepRow{3, values(3)});
    QVERIFY(!queue.push(StepRow{4, values(4)}));  // one too many
    const auto messages = queue.take();
    QCOMPARE(messages.size(), 3u);
    QCOMPARE(std::get<protocol::Steps>(messages[0]).columns.at("mono").size(), 2u);
    QCOMPARE(std::get<protocol::Notice>(messages[1]).text, std::string("between"));
    QCOMPARE(std::get<protocol::Steps>(messages[2]).first_step, 3);
    QCOMPARE(std::get<protocol::Steps>(messages[2]).dropped, 1);
    QVERIFY(queue.empty());
    // After a gap a new message begins.
    queue.push(StepRow{5, values(5)});
    queue.push(StepRow{9, values(9)});
    QCOMPARE(queue.take().size(), 2u);
  }

  // Steps leave room for what is told once; of that there is twice as much.
  void the_queue_has_room_for_steps_and_for_messages() {
    TelemetryQueue queue(2);
    QVERIFY(queue.empty() && queue.only_steps());
    for (const bool fits : {true, true, true, true, false})
      QCOMPARE(queue.push(protocol::Notice{"info", "x", 1}), fits);
    QVERIFY(!queue.empty() && !queue.only_steps());
    for (std::int64_t step = 1; step <= 3; ++step) queue.push(StepRow{step, values(step)});
    queue.set_position({1, 3, "train", 0.5, 2, 1});
    const auto messages = queue.take();
    QCOMPARE(messages.size(), 6u);
    QCOMPARE(std::get<protocol::Position>(messages.front()).epoch, 1);  // first, as nothing follows a goodbye
    const auto& steps = std::get<protocol::Steps>(messages.back());
    QCOMPARE(steps.columns.at("mono").size(), 2u);
    QCOMPARE(steps.dropped, 1);
    QVERIFY(queue.empty() && queue.only_steps());
    queue.set_position({});
    QVERIFY(!queue.empty() && queue.only_steps());
    QVERIFY(queue.push(protocol::Notice{"info", "x", 1}));  // there is room again
  }

  // Each of the first ten thousand, each tenth up to a hundred thousand, and so on.
  void event_files_have_the_more_seldom_steps_the_longer_a_run_is() {
    auto& environment = session().part<Process>().environment;
    QVERIFY(!tensorboard::wants_row(1));
    environment.tensorboard_dir = directory_.path().toStdString();
    for (const std::int64_t step : {1, 9'999, 10'000, 10'010, 100'000, 100'100, 1'000'000, 1'001'000})
      QVERIFY2(tensorboard::wants_row(step), qPrintable(QString::number(step)));
    for (const std::int64_t step : {10'001, 10'005, 99'999, 100'010, 999'990, 1'000'100})
      QVERIFY2(!tensorboard::wants_row(step), qPrintable(QString::number(step)));
    environment.replica_rank = 1;
    QVERIFY(!tensorboard::wants_row(1));
    environment = {};
  }

  void every_step_arrives_and_goodbye_is_last() {
    QElapsedTimer time;
    time.start();
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    QVERIFY(telemetry_connected());
    for (std::int64_t step = 1; step <= 5000; ++step) set_step(step), send_step(step, values(step));
    notice("info", "half way");
    for (std::int64_t step = 5001; step <= 10'000; ++step) set_step(step), send_step(step, values(step));
    set_position({.epoch = 1, .epochs = 3, .loop = "train", .fraction = 0.5});
    auto reader = std::async(std::launch::async, [&] { return listener.read_to_goodbye(); });
    telemetry_stop(143, kPatience);

    const auto messages = reader.get();
    // They are packed: so many go out each 50 ms, but for those before the notice and the goodbye.
    const auto packed = std::ranges::count_if(
        messages, [](const auto& message) { return std::holds_alternative<protocol::Steps>(message); });
    QVERIFY2(packed <= time.elapsed() / 50 + 4, qPrintable(QString::number(packed)));
    std::int64_t next = 1, positions = 0;
    for (const auto& message : messages) {
      if (const auto* steps = std::get_if<protocol::Steps>(&message)) {
        QCOMPARE(steps->first_step, next);
        QCOMPARE(steps->dropped, 0);
        for (const double mono : steps->columns.at("mono")) QCOMPARE(mono, static_cast<double>(next++));
      }
      positions += std::holds_alternative<protocol::Position>(message);
    }
    QCOMPARE(next, 10'001);
    QCOMPARE(positions, 1);
    const auto& goodbye = std::get<protocol::Goodbye>(messages.back());
    QCOMPARE(goodbye.code, 143);
    QCOMPARE(goodbye.step, 10'000);
  }

  void heartbeats_name_the_phase_and_the_step() {
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    const auto in_phase = [&](const std::string& phase) {
      return heartbeat(listener, [&](const auto& beat) { return beat.phase == phase; });
    };
    set_step(41);
    {
      const PhaseScope phase("validate");
      QCOMPARE(in_phase("validate").step, 41);
    }
    in_phase("idle");
    telemetry_stop(0);
  }

  void heartbeats_say_what_is_waited_for_and_since_when() {
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    const auto since_in = [&](const std::string& waiting) {
      const auto is = [&](const auto& beat) { return beat.since > 0 && beat.waiting == waiting; };
      return heartbeat(listener, is).since;
    };
    const double before = protocol::monotonic_seconds();
    {
      const WaitScope wait("all_reduce 'ask'");
      const double since = since_in("all_reduce 'ask'");
      QVERIFY(since >= before && since <= protocol::monotonic_seconds());
      QCOMPARE(since_in("all_reduce 'ask'"), since);  // it is still the same wait
    }
    const double computing = since_in("");
    QVERIFY(computing >= before);
    mark_progress();
    const double marked = protocol::monotonic_seconds();
    QTRY_VERIFY(since_in("") > computing);
    QVERIFY(since_in("") <= marked);
    telemetry_stop(0);
  }

  // Within 50 ms, as heartbeats come each 250 ms: one of three at least has none before it, also where the
  // one before has just gone out.
  void steps_go_out_soon() {
    const auto supervisor = connect();
    const auto with_steps = [&] {
      return supervisor->read_until(
          [](const auto& message) { return std::holds_alternative<protocol::Steps>(message); });
    };
    int soon = 0;
    for (std::int64_t step = 1; step <= 6; step += 2) {
      heartbeat(*supervisor, [](const auto&) { return true; });
      send_step(step, values(step));
      const auto first = with_steps();
      send_step(step + 1, values(step + 1));
      const auto second = with_steps();
      soon += first.size() == 1 && second.size() == 1;
    }
    QVERIFY(soon > 0);
    telemetry_stop(0);
  }

  // Each within 50 ms, as heartbeats come each 250 ms: one of five at least has none before it.
  void messages_go_out_at_once_and_steps_while_the_program_trains() {
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    int at_once = 0;
    for (int i = 0; i < 5; ++i) {
      heartbeat(listener, [](const auto&) { return true; });
      notice("info", "now");
      const auto messages = listener.read_until(
          [](const auto& message) { return std::holds_alternative<protocol::Notice>(message); });
      at_once += messages.size() == 1;
    }
    QVERIFY(at_once > 0);
    for (std::int64_t step = 1; step <= 3; ++step) send_step(step, values(step));
    std::size_t arrived = 0;
    listener.read_until([&](const auto& message) {
      if (const auto* steps = std::get_if<protocol::Steps>(&message))
        arrived += steps->columns.at("mono").size();
      return arrived == 3;
    });
    QCOMPARE(arrived, 3u);
    telemetry_stop(0);
  }

  void a_failure_is_with_the_system_before_a_violent_end() {
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    set_step(41);
    tell_failure("exception", "std::bad_alloc: std::bad_alloc");
    tell_failure("exit", "what follows from it is not told");
    telemetry_flush();
    const auto messages = listener.read_until(
        [](const auto& message) { return std::holds_alternative<protocol::Failure>(message); });
    const auto& failure = std::get<protocol::Failure>(messages.back());
    QCOMPARE(failure.kind, "exception");
    QCOMPARE(failure.text, "std::bad_alloc: std::bad_alloc");
    QCOMPARE(failure.step, 41);
    auto reader = std::async(std::launch::async, [&] { return listener.read_to_goodbye(); });
    telemetry_stop(1);
    for (const auto& message : reader.get()) QVERIFY(!std::holds_alternative<protocol::Failure>(message));
  }

  void a_reader_that_does_not_read_blocks_nobody() {
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    constexpr std::int64_t kSteps = 200'000;  // far more than sockets and queue hold
    for (std::int64_t step = 1; step <= kSteps; ++step) send_step(step, values(step));
    // Once it reads, it learns how much it missed.
    auto reader = std::async(std::launch::async, [&] { return listener.read_to_goodbye(); });
    telemetry_stop(0, kPatience);
    std::int64_t arrived = 0, dropped = 0;
    for (const auto& message : reader.get())
      if (const auto* steps = std::get_if<protocol::Steps>(&message)) {
        arrived += std::ssize(steps->columns.at("mono"));
        dropped = steps->dropped;
      }
    QVERIFY(dropped > 0);
    QCOMPARE(arrived + dropped, kSteps);
  }

  // Before a violent end.
  void a_flush_ends_when_all_is_with_the_system() {
    TelemetryListener listener(new_path());
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      telemetry_start(listener.environment());
      for (std::int64_t step = 1; step <= 15'000; ++step)
        send_step(step, values(step));  // more than it takes
      send(protocol::Notice{"info", "the last", 15'000});
      telemetry_flush();
      ::_exit(0);
    }
    listener.accept();
    QTest::qWait(30);
    const auto messages = listener.read_until([](const auto&) { return false; });
    ::waitpid(child, nullptr, 0);
    std::int64_t steps = 0, notices = 0;
    for (const auto& message : messages) {
      if (const auto* rows = std::get_if<protocol::Steps>(&message))
        steps += std::ssize(rows->columns.at("mono"));
      notices += std::holds_alternative<protocol::Notice>(message);
    }
    QCOMPARE(steps, 15'000);
    QCOMPARE(notices, 1);
  }

  // The thread sleeps where nothing is to be sent, and where nobody reads.
  void a_line_costs_no_processor() {
    const auto supervisor = connect();
    for (std::int64_t step = 1; step <= 3; ++step) send_step(step, values(step));
    heartbeat(*supervisor, [](const auto&) { return true; });
    const double before = used();
    heartbeat(*supervisor, [](const auto&) { return true; });
    const double idle = used() - before;
    QVERIFY2(idle < 0.1, qPrintable(QString::number(idle)));
    fill();
    const double full = used();
    QTest::qWait(250);
    const double blocked = used() - full;
    QVERIFY2(blocked < 0.1, qPrintable(QString::number(blocked)));
    // Nor where the program ends, which does not wait for ever.
    const double ending = used();
    telemetry_stop(0, std::chrono::milliseconds(600));
    const double ended = used() - ending;
    QVERIFY2(ended < 0.1, qPrintable(QString::number(ended)));
  }

  // It would be stale by the time that it is read.
  void while_nobody_reads_no_heartbeat_is_sent() {
    const auto supervisor = connect();
    fill();
    const double full = protocol::monotonic_seconds();
    QTest::qWait(700);  // two heartbeats
    const double read = protocol::monotonic_seconds();
    auto reader = std::async(std::launch::async, [&] { return supervisor->read_to_goodbye(); });
    telemetry_stop(0, kPatience);
    const auto stale = std::ranges::count_if(reader.get(), [&](const auto& message) {
      const auto* beat = std::get_if<protocol::Heartbeat>(&message);
      return beat && beat->mono > full && beat->mono < read;
    });
    QVERIFY2(stale <= 1, qPrintable(QString::number(stale)));  // the first, where the socket was not full yet
  }

  void nothing_is_left_open() {
    const auto open = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                           std::filesystem::directory_iterator());
    };
    const auto before = open();
    {
      const auto supervisor = connect();
      telemetry_stop(0);
    }
    protocol::Environment orphaned;
    orphaned.telemetry_socket = new_path();
    QVERIFY_THROWS_EXCEPTION(Error, telemetry_start(orphaned));
    QCOMPARE(open(), before);
  }

  void the_end_of_the_line_asks_to_leave() {
    clear_request(ExitRequest::checkpoint_and_exit);
    const auto supervisor = connect();
    TelemetryListener& listener = *supervisor;
    QTemporaryFile log;
    QVERIFY(log.open());
    const int errors = ::dup(STDERR_FILENO);
    ::dup2(log.handle(), STDERR_FILENO);
    listener.hang_up();
    QTRY_COMPARE(pending_request(), ExitRequest::checkpoint_and_exit);
    ::dup2(errors, STDERR_FILENO);
    ::close(errors);
    QCOMPARE(testing::contents(log.fileName().toStdString()),
             "batchscope: the supervisor is gone; checkpointing and leaving\n");
    QVERIFY(!telemetry_connected());
    clear_request(ExitRequest::checkpoint_and_exit);
    telemetry_stop(0);
  }

  // A program that has said goodbye need not be told, nor asked to leave.
  void who_hangs_up_at_the_goodbye_is_not_missed() {
    clear_request(ExitRequest::checkpoint_and_exit);
    const auto supervisor = connect();
    fill();
    const auto ending = std::make_shared<std::atomic<bool>>(false);
    before_goodbye([ending](int) { *ending = true; });
    const testing::StandardError kept;
    auto hangs_up = std::async(std::launch::async, [&] {
      while (!*ending) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      supervisor->hang_up();
    });
    telemetry_stop(0);
    hangs_up.get();
    QCOMPARE(kept.text(), "");
    QCOMPARE(pending_request(), ExitRequest::nothing);
  }

  void without_a_supervisor_nothing_happens() {
    protocol::Environment nobody;
    telemetry_start(nobody);
    QVERIFY(!telemetry_connected());
    send_step(1, values(1));
    telemetry_stop(0);
  }

  void a_supervisor_that_has_died_is_an_error() {
    protocol::Environment orphaned;
    orphaned.telemetry_socket = new_path();
    VERIFY_THROWS(
        "io", "cannot reach the supervisor at " + orphaned.telemetry_socket + ": No such file or directory",
        telemetry_start(orphaned));
    QVERIFY(!telemetry_connected());
  }

  // And a second call makes no second line.
  void heartbeats_say_whose_they_are() {
    TelemetryListener listener(new_path());
    auto environment = listener.environment();
    environment.replica_rank = 5;
    const double before = protocol::monotonic_seconds();
    for (int i = 0; i < 2; ++i) telemetry_start(environment);
    listener.accept();
    QVERIFY(!listener.is_called());
    const auto beat = heartbeat(listener, [](const auto&) { return true; });
    QCOMPARE(beat.rank, 5);
    QCOMPARE(beat.phase, "idle");
    QCOMPARE(beat.step, 0);
    QCOMPARE(beat.since, 0.0);  // nothing was begun
    QVERIFY(beat.mono >= before && beat.mono <= protocol::monotonic_seconds());
    {
      const PhaseScope outer("train");
      { const PhaseScope inner("checkpoint"); }
      heartbeat(listener, [](const auto& next) { return next.phase == "train"; });
    }
    telemetry_stop(0);
    QVERIFY(!telemetry_connected());
  }

  // As AdaptDL does it, with the prefix's "/" or without.
  void event_files_have_the_prefix_before_each_tag() {
    for (const auto& [prefix, tag] : {std::pair("mine", "mine/loss"), {"mine/", "mine/loss"}, {"", "loss"}}) {
      const QTemporaryDir folder;
      protocol::EventFile file(folder.path().toStdString());
      tensorboard::write_to(file, 5, prefix, {{"loss", 1}});
      std::string all;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path().toStdString()))
        if (entry.is_regular_file()) all += testing::contents(entry.path());
      const std::string field = "\n" + std::string(1, static_cast<char>(std::strlen(tag))) + tag;
      QVERIFY2(all.find(field) != std::string::npos, prefix);
    }
  }
};

BATCHSCOPE_TEST(TestTelemetry)
#include "test_telemetry.moc"
