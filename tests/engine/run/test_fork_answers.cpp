// SPDX-License-Identifier: Apache-2.0
//
// Fork servers that a test plays: what they are asked, and what becomes of answers that nobody wants. They
// are scripts, which say a packet by one write and take an order by one read.
#include <signal.h>
#include <sys/wait.h>

#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>

#include "batchscope/protocol/fork_server.h"
#include "batchscope/protocol/time_outs.h"
#include "launch/fork_launcher.h"
#include "rows.h"
#include "system/process_table.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"
#include "waiting_replicas.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

namespace {

constexpr char kTake[] = "<";  // an order, which is kept in the next file
constexpr char kReady[] = R"({"number":0,"pid":1})";
constexpr char kReadyOnce[] = R"({"pid":1})";  // of an engine that gives no number

}  // namespace

class TestForkAnswers : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  std::string told_;

  std::string file(const std::string& name) const { return folder_->filePath(name.c_str()).toStdString(); }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }
  std::string heard() { return std::exchange(told_, {}); }

  // Returns a program that carries out these steps, and then waits until it is alone, or ends with 4.
  ReplicaOrder server(const QStringList& steps, bool stays = true) const {
    std::string lines = "#!/bin/sh\nenv > variables\necho >> starts\n";
    int taken = 0;
    for (const QString& step : steps)
      lines += step == kTake
                   ? "dd bs=1000000 count=1 <&3 >order." + std::to_string(taken++) + " 2>/dev/null\n"
                   : "echo '" + step.toStdString() + "' >&3\n";
    lines += stays ? "dd bs=1 count=1 <&3 >/dev/null 2>&1\n" : "exit 4\n";
    testing::write_file(file("new"), lines);
    fs::permissions(file("new"), fs::perms::owner_all);
    fs::rename(file("new"), file("program"));
    return {file("program"), {}, folder_->path().toStdString(), {{"OWN", "x"}}, file("log")};
  }
  std::ptrdiff_t starts() const {
    if (!fs::exists(file("starts"))) return 0;
    const std::string all = testing::contents(file("starts"));
    return std::count(all.begin(), all.end(), '\n');
  }
  // Returns two replicas that end by themselves where they are executed.
  std::vector<ReplicaOrder> orders() const {
    std::vector<ReplicaOrder> two;
    for (const char* const rank : {"0", "1"})
      two.push_back({"/bin/sh", {"-c", "exit 5"}, "/", {{"RANK", rank}}, file(std::string("log.") + rank)});
    return two;
  }
  // Launches two replicas; returns whether they were executed.
  static bool executes(ForkLauncher& launcher, const std::vector<ReplicaOrder>& orders) {
    const std::vector<pid_t> pids = launcher.launch(orders);
    if (pids == std::vector<pid_t>{111, 222}) return false;
    return pids.size() == 2 && WaitingReplicas::status_of(pids[0]) == W_EXITCODE(5, 0) &&
           WaitingReplicas::status_of(pids[1]) == W_EXITCODE(5, 0);
  }
  // The steps of a server that has forked both.
  static QStringList forks() {
    return {kReady, kTake, kTake, R"({"number":1,"pid":222})", R"({"number":0,"pid":111})"};
  }
  static std::string answer_of(ForkServer& server) {
    std::string answer = "none";
    server.on_answer = [&](const std::string& refusal) { answer = refusal; };
    return eventually([&] { return answer != "none"; }) ? answer : "it does not answer";
  }
  std::unique_ptr<ForkLauncher> launcher_of(
      const ReplicaOrder& program,
      std::chrono::milliseconds start_limit = protocol::time_out::kForkServerStart) {
    auto launcher = std::make_unique<ForkLauncher>(program, start_limit);
    launcher->on_news = [this](const std::string& level, const std::string& text) {
      told_ += level + ": " + text + "\n";
    };
    return launcher;
  }
  // Has the launcher told that its program serves, and waits for the server.
  bool becomes_ready(ForkLauncher& launcher) {
    launcher.offered();
    return eventually([&] { return !told_.empty(); }) && heard() == "debug: a new fork server is ready\n";
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    told_.clear();
  }
  void cleanup() {
    for (const pid_t child : run::children()) {
      ::kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

  // --- the server ---

  void aServerIsToldThatItIsOne() {
    ForkServer server(this->server({kReady}));
    QVERIFY(!server.ready());
    QCOMPARE(answer_of(server), "");
    QVERIFY(server.ready());
    QCOMPARE(run::children(), std::vector<pid_t>{server.pid()});
    const std::string variables = "\n" + testing::contents(file("variables"));
    VERIFY_HOLDS(variables, "\nOWN=x\n", "\nBATCHSCOPE_FORK_SERVER=3\n", "\nOMP_NUM_THREADS=1\n",
                 "\nOPENBLAS_NUM_THREADS=1\n", "\nMKL_NUM_THREADS=1\n");
  }

  void whyItCannotBeOneIsSaid_data() {
    const auto row = testing::columns<QStringList, QString>({"steps", "answer"});
    row("refused", {R"({"number":0,"error":"it has threads"})"}, "it has threads");
    row("gone", {}, "it ended");
  }
  void whyItCannotBeOneIsSaid() {
    QFETCH(QStringList, steps);
    QFETCH(QString, answer);
    ForkServer server(this->server(steps, !steps.isEmpty()));
    QCOMPARE(answer_of(server), answer.toStdString());
    QVERIFY(!server.ready());
  }

  void nonsenseIsNoAnswer() {
    ForkServer server(this->server({"nonsense"}));
    QVERIFY(!answer_of(server).empty());
    QVERIFY(!server.ready());
  }

  void eachOrderIsNumberedAndSoIsItsAnswer() {
    ForkServer server(this->server(forks()));
    QCOMPARE(answer_of(server), "");
    QVERIFY(server.fork(orders()) == (std::vector<pid_t>{111, 222}));
    for (int number = 0; number < 2; ++number) {
      const auto order =
          protocol::decode_fork_order(testing::contents(file("order." + std::to_string(number))));
      QCOMPARE(order.number, number);
      QCOMPARE(order.log, file("log." + std::to_string(number)));
      QVERIFY(order.environment == orders()[static_cast<std::size_t>(number)].environment);
    }
  }

  // It could take one answer for another's.
  void whoGivesNoNumberIsAskedOneByOne() {
    ReplicaOrder program = server({});
    testing::write_file(program.program,
                        "#!/bin/sh\n"
                        "echo '{\"pid\":1}' >&3\n"
                        "dd bs=1000000 count=1 <&3 >order.0 2>/dev/null\n"
                        "dd iflag=nonblock bs=1000000 count=1 <&3 >early 2>/dev/null\n"
                        "echo '{\"pid\":111}' >&3\n"
                        "until dd iflag=nonblock bs=1000000 count=1 <&3 >order.1 2>/dev/null; do :; done\n"
                        "echo '{\"pid\":222}' >&3\n");
    ForkServer server(program);
    QCOMPARE(answer_of(server), "");
    QVERIFY(server.fork(orders()) == (std::vector<pid_t>{111, 222}));
    QCOMPARE(testing::contents(file("early")), "");
    QCOMPARE(protocol::decode_fork_order(testing::contents(file("order.1"))).number, 1);
  }

  // None of the replicas is left where one cannot be forked; %1 is one that could.
  void aGenerationIsForkedWholeOrNotAtAll_data() {
    const auto row = testing::columns<QStringList, QString, bool>({"steps", "thrown", "one_lives"});
    const QString no_room = R"({"number":0,"error":"no room"})", forked = R"({"number":1,"pid":%1})",
                  could_not = QStringLiteral("io: the fork server could not fork: ");
    row("one refused", {kReady, kTake, kTake, no_room, forked}, could_not + "no room", true);
    row("the first reason counts", {kReady, kTake, kTake, no_room, R"({"number":1,"error":"neither"})"},
        could_not + "no room", false);
    row("a number that nobody has", {kReady, kTake, kTake, forked, R"({"number":2,"pid":2000000000})"},
        could_not + "its answer does not fit the question", true);
    row("the end", {kReady, kTake, kTake, forked}, could_not + "it ended", true);
    row("nonsense", {kReady, kTake, kTake, forked, "nonsense"}, "usage: ", true);
    row("nothing more is asked for", {kReadyOnce, kTake, R"({"error":"no room"})"}, could_not + "no room",
        false);
    row("the second one", {kReadyOnce, kTake, R"({"pid":%1})", kTake, R"({"error":"no room"})"},
        could_not + "no room", true);
  }
  void aGenerationIsForkedWholeOrNotAtAll() {
    QFETCH(QStringList, steps);
    QFETCH(QString, thrown);
    QFETCH(bool, one_lives);
    WaitingReplicas replicas;
    const pid_t one = replicas.launch(std::vector<ReplicaOrder>(1)).front();
    steps.replaceInStrings("%1", QString::number(one));
    ForkServer server(this->server(steps, thrown != "io: the fork server could not fork: it ended"));
    QCOMPARE(answer_of(server), "");
    const std::string refusal = testing::thrown_by([&] { server.fork(orders()); });
    QVERIFY2(refusal.starts_with(thrown.toStdString()), refusal.c_str());
    if (one_lives)
      QCOMPARE(WaitingReplicas::status_of(one), SIGKILL);
    else
      QVERIFY(WaitingReplicas::lives(one));
  }

  // Orders that come late must find nobody.
  void aServerThatDoesNotAnswerIsGivenUp() {
    ForkServer server(this->server({kReady, kTake, kTake}));
    QCOMPARE(answer_of(server), "");
    QCOMPARE(testing::thrown_by([&] { server.fork(orders(), std::chrono::milliseconds(50)); }),
             "timeout: the fork server does not answer");
  }

  void aServerLeavesWithItsLine() {
    const auto open_files = [] {
      return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    const auto before = open_files();
    pid_t pid = 0;
    {
      ForkServer server(this->server({kReady}));
      QCOMPARE(answer_of(server), "");
      pid = server.pid();
    }
    QCOMPARE(WaitingReplicas::status_of(pid), 0);
    VERIFY_THROWS("not_found", "/no/such/program",
                  ForkServer({"/no/such/program", {}, file(""), {}, file("log")}));
    QCOMPARE(open_files(), before);
  }

  // --- when there is one ---

  void aServerHasATimeToStart() {
    const auto launcher = launcher_of(server({}), std::chrono::milliseconds(50));
    launcher->offered();
    const pid_t pid = run::children().at(0);
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(),
             "info: replicas are executed, not forked: the program cannot be a fork server: it did not call "
             "init_process_group() within 0.05 s\n");
    QCOMPARE(WaitingReplicas::status_of(pid), SIGKILL);
    QVERIFY(executes(*launcher, orders()));
  }

  // Neither one that is ready nor one that has refused has to hurry any more.
  void aServerThatHasAnsweredIsNotHurried() {
    const auto refusing =
        launcher_of(server({R"({"number":0,"error":"it has threads"})"}), std::chrono::milliseconds(1000));
    refusing->offered();
    QVERIFY(eventually([&] { return !told_.empty(); }));
    heard();
    const auto launcher = launcher_of(server(forks()), std::chrono::milliseconds(1000));
    QVERIFY(becomes_ready(*launcher));
    QTest::qWait(1100);
    QCOMPARE(heard(), "");
    QVERIFY(!executes(*launcher, orders()));
  }

  void aServerThatCannotBeStartedIsToldOf() {
    const auto launcher = launcher_of({"/no/such/program", {}, file(""), {}, file("log")});
    launcher->offered();
    VERIFY_HOLDS(heard(),
                 "info: replicas are executed, not forked: the program cannot be a fork server: cannot start "
                 "/no/such/program in ");
    QVERIFY(executes(*launcher, orders()));
    QCOMPARE(heard(), "");  // once
  }

  // A process that has inherited the end holds it open.
  void aServerThatLeavesSomebodyBehindHasRefused() {
    ReplicaOrder program = server({});
    testing::write_file(program.program, "#!/bin/sh\nsleep 1000 &\nexit 4\n");
    const auto launcher = launcher_of(program);
    launcher->offered();
    const pid_t pid = run::children().at(0);
    const int status = WaitingReplicas::status_of(pid);
    QVERIFY(launcher->take_exited(pid, status));
    ::kill(-pid, SIGKILL);
    QCOMPARE(heard(),
             "info: replicas are executed, not forked: the program cannot be a fork server: the fork server "
             "does not answer\n");
  }

  // The program has changed since: another server is asked.
  void aServerThatLoadsAnOldProgramIsGivenUp() {
    const auto launcher = launcher_of(server({}));
    launcher->offered();
    const pid_t old = run::children().at(0);
    server(forks());
    QVERIFY(executes(*launcher, orders()));
    WaitingReplicas::status_of(old);  // its line has closed
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), "debug: a new fork server is ready\n");
    QVERIFY(!executes(*launcher, orders()));
  }

  void aProgramIsExecutedUntilItSaysThatItCanServe() {
    const auto launcher = launcher_of(server(forks()));
    bool settled = false;
    launcher->prepare([&] { settled = true; });
    QVERIFY(!settled);  // from the event loop
    QVERIFY(eventually([&] { return settled; }));
    QCOMPARE(
        heard(),
        "debug: replicas are executed, not forked, until the program says that it can be a fork server\n");
    QVERIFY(executes(*launcher, orders()));
    QCOMPARE(starts(), 0);
    QVERIFY(becomes_ready(*launcher));
    launcher->offered();
    QVERIFY(!executes(*launcher, orders()));
    QCOMPARE(starts(), 1);
    QCOMPARE(heard(), "");
  }

  void whoWantsNoServerHasNone() {
    ReplicaOrder program = server(forks());
    program.environment["BATCHSCOPE_FORK_SERVER"] = "off";
    const auto launcher = launcher_of(program);
    bool settled = false;
    launcher->prepare([&] { settled = true; });
    QVERIFY(eventually([&] { return settled; }));
    QCOMPARE(heard(), "debug: replicas are executed, not forked: BATCHSCOPE_FORK_SERVER=off\n");
    launcher->offered();
    QVERIFY(executes(*launcher, orders()));
    QVERIFY(run::children().empty());
    QCOMPARE(heard(), "");
  }

  // It is asked again when it is another program.
  void aProgramThatRefusesIsNotAskedAgain() {
    const std::string refused =
        "info: replicas are executed, not forked: the program cannot be a fork "
        "server: it has threads\n";
    const auto launcher = launcher_of(server({R"({"number":0,"error":"it has threads"})"}));
    launcher->offered();
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), refused);
    QVERIFY(executes(*launcher, orders()) && executes(*launcher, orders()));
    QCOMPARE(starts(), 1);
    server(forks());
    QVERIFY(executes(*launcher, orders()));  // this once
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), "debug: a new fork server is ready\n");
    QCOMPARE(starts(), 2);
    QVERIFY(!executes(*launcher, orders()));
  }

  // The script is the first argument that is a file; others are what it reads and writes.
  void aScriptThatHasChangedIsLoadedAnew() {
    ReplicaOrder program = server(forks());
    program.arguments = {"--fast", "script", "results"};
    for (const char* const name : {"script", "results"}) testing::write_file(file(name), "first");
    const auto launcher = launcher_of(program);
    QVERIFY(becomes_ready(*launcher));
    testing::write_file(file("results"), "some more");
    QVERIFY(!executes(*launcher, orders()));
    testing::write_file(file("script"), "another one");
    QVERIFY(executes(*launcher, orders()));
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), "debug: a new fork server is ready\n");
    QVERIFY(!executes(*launcher, orders()));
    QCOMPARE(starts(), 2);
  }

  void aGenerationThatCannotBeForkedIsExecuted() {
    const auto launcher = launcher_of(
        server({kReady, kTake, kTake, R"({"number":0,"error":"no room"})", R"({"number":1,"error":"x"})"}));
    QVERIFY(becomes_ready(*launcher));
    const pid_t server = run::children().at(0);
    QVERIFY(executes(*launcher, orders()));
    QCOMPARE(heard(), "warning: the fork server could not fork: no room; this generation is executed\n");
    QCOMPARE(WaitingReplicas::status_of(server), SIGKILL);
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), "debug: a new fork server is ready\n");
    QCOMPARE(starts(), 2);
  }

  // One that has forked a generation is replaced at once, for the next; another by the next launch.
  void aServerThatEndsIsToldOf() {
    for (const bool used : {false, true}) {
      fs::remove(file("starts"));
      const auto launcher = launcher_of(server(forks()));
      QVERIFY(!launcher->take_exited(getpid(), 0));
      QVERIFY(becomes_ready(*launcher));
      if (used) QVERIFY(!executes(*launcher, orders()));
      const pid_t pid = run::children().at(0);
      QVERIFY(!launcher->take_exited(getpid(), 0));
      ::kill(pid, SIGKILL);
      const int status = WaitingReplicas::status_of(pid);
      QVERIFY(launcher->take_exited(pid, used ? status : W_EXITCODE(4, 0)));
      QCOMPARE(heard(), used ? "warning: the fork server was killed by signal 9\n"
                             : "warning: the fork server exited with code 4\n");
      QCOMPARE(run::children().size(), used ? 1u : 0u);
      QVERIFY(!launcher->take_exited(pid, status));
      if (!used) QVERIFY(executes(*launcher, orders()));
      QVERIFY(eventually([&] { return !told_.empty(); }));
      QCOMPARE(heard(), "debug: a new fork server is ready\n");
      QCOMPARE(starts(), 2);
      const pid_t unused = run::children().at(0);
      ::kill(unused, SIGKILL);
      QVERIFY(launcher->take_exited(unused, WaitingReplicas::status_of(unused)));
      QVERIFY(run::children().empty());
      heard();
      cleanup();
    }
  }

  // A launcher may see the end before the answer.
  void aServerThatEndsWithoutAnAnswerHasRefused() {
    const auto launcher = launcher_of(server({}, false));
    launcher->offered();
    const pid_t pid = run::children().at(0);
    QVERIFY(launcher->take_exited(pid, WaitingReplicas::status_of(pid)));
    QCOMPARE(heard(),
             "info: replicas are executed, not forked: the program cannot be a fork server: it ended\n");
    QVERIFY(executes(*launcher, orders()));
    QCOMPARE(starts(), 1);
  }

  // A launch does not wait for it, and leaves it to load.
  void aServerThatIsStillLoadingIsForTheNextGeneration() {
    ReplicaOrder program = server({});
    testing::write_file(program.program,
                        "#!/bin/sh\necho >> starts\nuntil [ -e open ]; do :; done\n"
                        "echo '{\"number\":0,\"pid\":1}' >&3\n"
                        "dd bs=1 count=1 <&3 >/dev/null 2>&1\n");
    const auto launcher = launcher_of(program);
    launcher->offered();
    const std::vector<pid_t> loading = run::children();
    QVERIFY(executes(*launcher, orders()));
    QCOMPARE(run::children(), loading);
    testing::write_file(file("open"), "");
    QVERIFY(eventually([&] { return !told_.empty(); }));
    QCOMPARE(heard(), "debug: a new fork server is ready\n");
    QCOMPARE(starts(), 1);
  }
};

BATCHSCOPE_TEST(TestForkAnswers)
#include "test_fork_answers.moc"
