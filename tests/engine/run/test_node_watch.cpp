// SPDX-License-Identifier: Apache-2.0
//
// The pool's look at other nodes, with real agents at addresses of loopback of their own.
#include <signal.h>
#include <sys/wait.h>

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "batchscope/run/node_watch.h"
#include "rows.h"
#include "system/process_table.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::PoolNode;
using protocol::PoolSettings;

namespace {

std::string path_in(const QTemporaryDir& folder, const char* name) {
  return folder.filePath(name).toStdString();
}

// A stand-in for ssh, HOST PROGRAM serve --name NODE, which carries this out in the folder.
std::string script_in(const QTemporaryDir& folder, const std::string& lines, const char* name = "reach.sh") {
  const std::string script = path_in(folder, name);
  std::ofstream(script) << "#!/bin/sh\ncd " << folder.path().toStdString() << "\nhost=$1; shift\n" << lines;
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script;
}

// Agents leave their process ids in the folder.
std::string reach(const QTemporaryDir& folder) {
  return script_in(folder, "echo $$ > agent\nexec \"$@\" --listen $host\n");
}

pid_t agent_in(const QTemporaryDir& folder, const char* name = "agent") {
  pid_t pid = 0;
  std::ifstream(path_in(folder, name)) >> pid;
  return pid;
}

// Returns how often a script was started that notes it.
std::ptrdiff_t starts_in(const QTemporaryDir& folder) {
  const std::string noted = testing::contents(path_in(folder, "starts"));
  return std::count(noted.begin(), noted.end(), '\n');
}

}  // namespace

#define VERIFY_SOON(watch, settings, condition) \
  QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings), (condition)), 30000)

class TestNodeWatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { qputenv("BATCHSCOPE_BIN", BATCHSCOPE_TEST_BIN); }
  void cleanup() {
    for (const pid_t child : run::children()) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

  void anAgentTellsWhatItsNodeHasUntilItIsLost() {
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2=127.0.0.2", .agents_by = reach(folder)};
    NodeWatch watch({});
    int changes = 0;
    watch.on_change = [&] { ++changes; };
    watch.watch(settings);
    QVERIFY(watch.looks() && watch.nodes().empty());
    VERIFY_SOON(watch, settings, watch.nodes().size() == 1 && watch.nodes()[0].there);
    const PoolNode there = watch.nodes()[0];
    QCOMPARE(there.name, "n2");
    QVERIFY(!watch.looks() && !there.cores.empty() && there.why.empty() && there.since > 0);
    kill(agent_in(folder), SIGKILL);
    VERIFY_SOON(watch, settings, !watch.nodes()[0].there);
    QCOMPARE(watch.nodes()[0].why, "its agent's line closed");
    QCOMPARE(watch.nodes()[0].cores, there.cores);
    QCOMPARE(changes, 2);
  }

  void aNodeThatIsLeftOutLosesItsAgent() {
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2=127.0.0.2", .agents_by = reach(folder)};
    NodeWatch watch({});
    VERIFY_SOON(watch, settings, !watch.nodes().empty());
    const pid_t agent = agent_in(folder);
    VERIFY_SOON(watch, PoolSettings{}, kill(agent, 0) != 0);
    QVERIFY(watch.nodes().empty());
  }

  void linesAreEncryptedWhereItIsAskedFor() {
    const QTemporaryDir folder;
    PoolSettings settings{.agents = "n2=127.0.0.2", .agents_by = reach(folder), .tls = true};
    NodeWatch watch({});
    VERIFY_SOON(watch, settings, watch.nodes().size() == 1 && watch.nodes()[0].there);
    const pid_t encrypted = agent_in(folder);
    settings.tls = false;
    VERIFY_SOON(watch, settings, agent_in(folder) != encrypted && kill(encrypted, 0) != 0);
    VERIFY_SOON(watch, settings, watch.nodes()[0].there);
  }

  // As one of an older version.
  void anAgentThatKnowsNoTlsIsRefused() {
    const QTemporaryDir folder;
    const std::string script = script_in(
        folder,
        "read -r welcome\n(echo \"$welcome\" | sed s/true/false/; cat) | \"$@\" --listen 127.0.0.2\n");
    const PoolSettings settings{.agents = "n2", .agents_by = script, .tls = true};
    NodeWatch watch({});
    VERIFY_SOON(watch, settings, !watch.nodes().empty());
    QCOMPARE(
        watch.nodes()[0].why,
        "its agent does not encrypt its lines, which --tls asks for; use the same batchscope on all nodes");
    QVERIFY(!watch.nodes()[0].there);
  }

  // A pool that takes another one's place moves no run before it knows better.
  void whatWasSeenLastCountsUntilTheAgentAnswers() {
    const PoolNode seen{"n2", true, 5, "", {"cpu:0"}, {}};
    NodeWatch watch({seen});
    const PoolSettings settings{.agents = "n2", .agents_by = "/bin/false"};
    watch.watch(settings);
    QCOMPARE(watch.nodes(), std::vector{seen});
    VERIFY_SOON(watch, settings, !watch.nodes()[0].there);
    QVERIFY(watch.nodes()[0].since > seen.since);
  }

  // Nodes that are known only from before are gone where none is watched.
  void nobodyIsWatchedWhereNobodyIsNamed() {
    NodeWatch watch({{"n2", true, 5, "", {"cpu:0"}, {}}});
    QCOMPARE(watch.nodes().size(), 1u);
    watch.watch({});
    QVERIFY(watch.nodes().empty() && !watch.looks());
  }

  // The list may change: who stays in it, at the same address, keeps its agent.
  void whoStaysKeepsItsAgent() {
    const QTemporaryDir folder;
    const std::string script = script_in(folder,
                                         "echo $$ > agent.$host\n"
                                         "if [ $host = 127.0.0.2 ]; then exec cat > /dev/null; fi\n"
                                         "exec \"$@\" --listen $host\n");
    PoolSettings settings{.agents = "n3=127.0.0.3,n2=127.0.0.2", .agents_by = script};
    NodeWatch watch({});
    VERIFY_SOON(watch, settings, watch.nodes().size() == 1 && watch.nodes()[0].there);
    QCOMPARE(watch.nodes()[0].name, "n3");
    QVERIFY(watch.looks());  // for the other one
    VERIFY_SOON(watch, settings, agent_in(folder, "agent.127.0.0.2") > 0);
    const pid_t third = agent_in(folder, "agent.127.0.0.3"), silent = agent_in(folder, "agent.127.0.0.2");
    settings.agents = "n2=127.0.0.4,n3=127.0.0.3";
    VERIFY_SOON(watch, settings, watch.nodes().size() == 2 && watch.nodes()[0].there);
    QCOMPARE(watch.nodes()[0].name, "n2");
    QCOMPARE(watch.nodes()[1].name, "n3");
    QVERIFY(!watch.looks());
    VERIFY_SOON(watch, settings, kill(silent, 0) != 0);
    QCOMPARE(agent_in(folder, "agent.127.0.0.3"), third);
    QVERIFY(watch.nodes()[1].there && kill(third, 0) == 0);
    // Another way to reach it is another agent.
    settings.agents = "n3=127.0.0.3";
    settings.agents_by = script_in(folder, "exec \"$@\" --listen $host\n", "other.sh");
    VERIFY_SOON(watch, settings, kill(third, 0) != 0 && watch.nodes().size() == 1 && watch.nodes()[0].there);
    QCOMPARE(watch.nodes()[0].name, "n3");
  }

  // After 10 s, and each time twice as long, up to 300 s.
  void whoDoesNotComeIsTriedAgain() {
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2", .agents_by = script_in(folder, "echo >> starts\nexit 1\n")};
    NodeWatch watch({});
    int changes = 0;
    watch.on_change = [&] { ++changes; };
    double now = std::floor(protocol::monotonic_seconds()), since = 0;
    std::ptrdiff_t starts = 0;
    for (const double patience : {10, 20, 40, 80, 160, 300, 300}) {
      QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings, now), run::children().empty()), 30000);
      QCOMPARE(starts_in(folder), ++starts);
      QVERIFY(!watch.nodes().at(0).there);
      if (starts == 1) since = watch.nodes()[0].since;
      watch.watch(settings, now + patience - 0.5);
      QVERIFY(run::children().empty());
      watch.watch(settings, now += patience);
      QCOMPARE(run::children().size(), 1u);
    }
    QCOMPARE(watch.nodes()[0].since, since);  // it has not come in between
    QCOMPARE(changes, 1);
  }

  void whoHasComeIsTriedAgainSoon() {
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2=127.0.0.2",
                                .agents_by = script_in(folder,
                                                       "[ -e there ] || exit 1\necho $$ > agent\n"
                                                       "exec \"$@\" --listen $host\n")};
    NodeWatch watch({});
    double now = std::floor(protocol::monotonic_seconds()) - 40;
    for (const double patience : {10, 20}) {
      QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings, now), run::children().empty()), 30000);
      now += patience;
      if (patience == 20) testing::write_file(path_in(folder, "there"), "");
      watch.watch(settings, now);
    }
    QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings, now), watch.nodes()[0].there), 30000);
    kill(agent_in(folder), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings, now), !watch.nodes()[0].there), 30000);
    QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings, now), run::children().empty()), 30000);
    watch.watch(settings, now + 9.5);
    QVERIFY(run::children().empty());
    watch.watch(settings, now + 10);
    QCOMPARE(run::children().size(), 1u);
  }

  void whoIsSilentIsLost() {
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2=127.0.0.2", .agents_by = reach(folder)};
    NodeWatch watch({});
    VERIFY_SOON(watch, settings, !watch.nodes().empty() && watch.nodes()[0].there);
    watch.watch(settings, protocol::monotonic_seconds() + 10.5);
    QVERIFY(!watch.nodes()[0].there);
    QCOMPARE(watch.nodes()[0].why, "it has not been heard for 10 s");
  }

  void anAgentHasHalfAMinuteToCome() {
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2", .agents_by = script_in(folder, "exec cat > /dev/null\n")};
    NodeWatch watch({});
    const double now = std::floor(protocol::monotonic_seconds());
    watch.watch(settings, now);
    watch.watch(settings, now + 30);
    QVERIFY(watch.nodes().empty() && watch.looks());
    watch.watch(settings, now + 30.5);
    QCOMPARE(watch.nodes().at(0).why, "its agent has not answered within 30 s");
  }

  void whoIsNotWhoWasCalledIsLeftOut_data() {
    const auto row = testing::columns<QByteArray, QString>({"lines", "why"});
    row("twice", "\"$@\" --listen 127.0.0.2 | sed -u p\n", "node n2 has an agent already");
    row("another node", "exec \"$1\" serve --name n7 --listen 127.0.0.2\n", "node n2 calls itself n7");
  }
  void whoIsNotWhoWasCalledIsLeftOut() {
    QFETCH(QByteArray, lines);
    QFETCH(QString, why);
    const QTemporaryDir folder;
    const PoolSettings settings{.agents = "n2", .agents_by = script_in(folder, lines.toStdString())};
    NodeWatch watch({});
    VERIFY_SOON(watch, settings, !watch.nodes().empty() && !watch.nodes()[0].there);
    VERIFY_HOLDS(watch.nodes()[0].why, "an agent that came is left out: " + why.toStdString());
  }

  void whyANodeIsNotThere_data() {
    QTest::addColumn<QString>("by");
    QTest::addColumn<QString>("why");
    QTest::newRow("no command") << "/no/such/command"
                                << "cannot start /no/such/command (batchscope pool --agents-by)";
    QTest::newRow("refused") << "/bin/false"
                             << "ended with exit code 1; pool.log beside the catalogue has what it printed";
    QTest::newRow("no agent") << "/bin/echo hello"
                              << "wrote a line that is not an offer of a node";
  }
  void whyANodeIsNotThere() {
    QFETCH(QString, by);
    QFETCH(QString, why);
    NodeWatch watch({});
    const PoolSettings settings{.agents = "n2", .agents_by = by.toStdString()};
    VERIFY_SOON(watch, settings, !watch.nodes().empty());
    QVERIFY(!watch.nodes()[0].there && !watch.looks());
    QVERIFY2(watch.nodes()[0].why.find(why.toStdString()) != std::string::npos, watch.nodes()[0].why.c_str());
  }
};

BATCHSCOPE_TEST(TestNodeWatch)
#include "test_node_watch.moc"
