// SPDX-License-Identifier: Apache-2.0
//
// The pool's look at other nodes, with real agents at addresses of loopback of their own.
#include <signal.h>

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <string>

#include "batchscope/run/node_watch.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::PoolNode;
using protocol::PoolSettings;

namespace {

std::string path_in(const QTemporaryDir& folder, const char* name) {
  return folder.filePath(name).toStdString();
}

// A stand-in for ssh: agents leave their process ids in the folder.
std::string reach(const QTemporaryDir& folder) {
  const std::string script = path_in(folder, "reach.sh");
  std::ofstream(script) << "#!/bin/sh\nhost=$1; shift\necho $$ >" << path_in(folder, "agent")
                        << "\nexec \"$@\" --listen $host\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script;
}

pid_t agent_in(const QTemporaryDir& folder) {
  pid_t pid = 0;
  std::ifstream(path_in(folder, "agent")) >> pid;
  return pid;
}

}  // namespace

#define VERIFY_SOON(watch, settings, condition) \
  QTRY_VERIFY_WITH_TIMEOUT((watch.watch(settings), (condition)), 30000)

class TestNodeWatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { qputenv("BATCHSCOPE_BIN", BATCHSCOPE_TEST_BIN); }

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
    const std::string script = path_in(folder, "older.sh");
    std::ofstream(script)
        << "#!/bin/sh\nread -r welcome\nshift\n(echo \"$welcome\" | sed s/true/false/; cat) | "
           "\"$@\" --listen 127.0.0.2\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
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
