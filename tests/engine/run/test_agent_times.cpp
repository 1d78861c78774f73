// SPDX-License-Identifier: Apache-2.0
//
// How long an agent waits: for a stranger's token, for the next beat, and for replicas that are to leave. The
// agent is in this process, with times of its own; whoever calls it is in another thread.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QTimer>
#include <chrono>
#include <future>

#include "agent_caller.h"
#include "nodes/agent.h"

using namespace batchscope;
using namespace batchscope::run;
using namespace std::chrono_literals;

class TestAgentTimes : public AgentTest {
  Q_OBJECT

  int input_before_ = -1, input_ = -1;

  void close_input() {
    if (input_ >= 0) close(std::exchange(input_, -1));
  }
  // Has an agent of these times until the call returns, and its replicas have ended.
  int agent_of(const AgentTimes& times, const std::function<void(const NodeOffer&)>& call) {
    Agent agent("127.0.0.2", Welcome{LoneAgent::token(), false}, false, times);
    NodeOffer offer;
    offer.address = "127.0.0.2";
    offer.port = agent.port();
    auto calls = std::async(std::launch::async, [&] {
      const auto end = qScopeGuard([this] { close_input(); });
      call(offer);
    });
    // The end of a child may be told to a thread of Qt's tests, which passes it over.
    QTimer tells_again;
    QObject::connect(&tells_again, &QTimer::timeout, &tells_again,
                     [] { pthread_kill(pthread_self(), SIGCHLD); });
    tells_again.start(20ms);
    const int code = agent.exec();
    calls.get();
    return code;
  }

 private Q_SLOTS:
  void init() {
    begin();
    input_before_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int ends[2];
    QCOMPARE(pipe2(ends, O_CLOEXEC), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    input_ = ends[1];
  }
  void cleanup() {
    close_input();
    dup2(input_before_, STDIN_FILENO);
    close(input_before_);
  }

  void whoDoesNotLeaveIsKilled() {
    std::pair<std::string, int> end;
    const int code = agent_of({.orphan = 50ms}, [&](const NodeOffer& offer) {
      AgentCaller supervisor(offer, Caller::supervisor);
      tell_program(supervisor);
      AgentCaller replica(offer, Caller::stand_in);
      replica.send(FrameKind::order, encode(script("trap '' TERM; echo begun; sleep 1000 & wait")));
      replica.next(FrameKind::output);
      supervisor.hang_up();
      end = replica.output_and_end();
    });
    QCOMPARE(end, (std::pair<std::string, int>("", SIGKILL)));
    QCOMPARE(code, 0);
  }

  // Somebody who has shown the token may be silent for as long as he likes.
  void aStrangerThatIsSilentIsHungUpOn() {
    bool gone = false;
    std::string why;
    agent_of({.stranger = 1000ms}, [&](const NodeOffer& offer) {
      AgentCaller known(offer, Caller::stand_in), silent(offer);
      gone = silent.is_hung_up_on();
      why = refusal(known, FrameKind::program, "{}");
    });
    QVERIFY(gone);
    QCOMPARE(why, "a frame that does not belong here");
  }

  // Not with the next beat.
  void aSupervisorIsHeardAtOnce() {
    std::string beat;
    agent_of({.beat = 1h}, [&](const NodeOffer& offer) {
      beat = AgentCaller(offer, Caller::supervisor).await(FrameKind::beat);
    });
    QVERIFY(decode_beat(beat) > 0);
  }

  void aReplicaThatHasEndedUsesNothing() {
    NodeUse use;
    agent_of({.beat = 10ms}, [&](const NodeOffer& offer) {
      AgentCaller supervisor(offer, Caller::supervisor);
      tell_program(supervisor);
      AgentCaller one(offer, Caller::stand_in), other(offer, Caller::stand_in);
      one.send(FrameKind::order, encode(waiting(0, 3)));
      other.send(FrameKind::order, encode(waiting(0, 5)));
      process_of(one);
      process_of(other);
      const auto told_of = [&](int replicas) {
        for (int beats = 0; beats < 1000 && use.replicas != replicas; ++beats)
          use = decode_use(supervisor.await(FrameKind::use));
      };
      told_of(2);
      other.send(FrameKind::signal, encode(HandedSignal{SIGTERM, 0}));
      other.output_and_end();
      told_of(1);
      one.send(FrameKind::signal, encode(HandedSignal{SIGTERM, 0}));
    });
    QCOMPARE(use.replicas, 1);
    for (const auto& [series, value] : use.values) QVERIFY2(series.ends_with("/3"), series.c_str());
  }

  // The end of the input is there again and again.
  void aReplicaIsAskedOnce() {
    std::pair<std::string, int> end;
    agent_of({}, [&](const NodeOffer& offer) {
      AgentCaller supervisor(offer, Caller::supervisor);
      tell_program(supervisor);
      AgentCaller replica(offer, Caller::stand_in);
      replica.send(FrameKind::order,
                   encode(script("trap 'asked=x$asked' TERM; echo begun; while [ -z \"$asked\" ]; do sleep "
                                 "0.02; done; sleep 0.1; echo $asked")));
      replica.next(FrameKind::output);
      close_input();
      end = replica.output_and_end();
    });
    QCOMPARE(end, (std::pair<std::string, int>("x\n", 0)));
  }

  // An agent passes over whatever else its input has.
  void anAgentGoesOnUntilItsInputEnds() {
    std::string why;
    const int code = agent_of({}, [&](const NodeOffer& offer) {
      if (write(input_, "\n", 1) != 1) return;
      AgentCaller supervisor(offer, Caller::supervisor);
      tell_program(supervisor);
      AgentCaller replica(offer, Caller::stand_in);
      why = refusal(replica, FrameKind::program, "{}");
    });
    QCOMPARE(why, "a frame that does not belong here");
    QCOMPARE(code, 0);
  }
};

BATCHSCOPE_TEST(TestAgentTimes)
#include "test_agent_times.moc"
