// SPDX-License-Identifier: Apache-2.0
//
// Runs of Python scripts from beginning to end: what is said of what they print, record and cannot do.
#include "command_test.h"

using namespace batchscope;
using namespace batchscope::cli;

class TestScript : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }
  void cleanup() { endSupervisors(); }

  void takesAPythonScript() {
    if (!QFileInfo::exists("/usr/bin/python3")) QSKIP("there is no /usr/bin/python3");
    write("train.py",
          "import sys, batchscope\nfor step in range(int(sys.argv[1])): batchscope.record(loss=step)\n");
    const Answer answer = ask({"run", "train.py", "--", "3"});
    VERIFY_CODE(kExitOk, answer);
    const QJsonObject made = show()["run"].toObject();
    QCOMPARE(made["name"].toString(), "train");
    VERIFY_HOLDS(ask({"show", "latest"}).out, "/usr/bin/python3 ", "train.py 3");
    QCOMPARE(made["step"].toInt(), 3);
  }

  void tellsThatAScriptHasNoCheckpoints() {
    if (!QFileInfo::exists("/usr/bin/python3")) QSKIP("there is no /usr/bin/python3");
    write("train.py",
          "import time, batchscope\nfor step in range(10000):\n    batchscope.record(loss=step)\n"
          "    time.sleep(0.01)\n");
    VERIFY_CODE(kExitOk, ask({"run", "train.py", "--detach"}));
    QTRY_COMPARE_WITH_TIMEOUT(state(), "running", 20'000);
    VERIFY_HOLDS(ask({"pause", "latest"}).out,
                 "ending its program without a checkpoint, as it reports none, then freeing its devices");
    QTRY_COMPARE_WITH_TIMEOUT(state(), "paused", 20'000);
    VERIFY_CODE(kExitOk, ask({"resume", "latest", "--detach"}));
    QTRY_COMPARE_WITH_TIMEOUT(state(), "running", 20'000);
    VERIFY_HOLDS(ask({"stop", "latest"}).out, "stopping without a checkpoint, as its program reports none");
    QTRY_COMPARE_WITH_TIMEOUT(state(), "stopped", 20'000);
  }

  void tellsWhenAScriptMovesThatHasMadeNoStep() {
    if (!QFileInfo::exists("/usr/bin/python3")) QSKIP("there is no /usr/bin/python3");
    write("train.py",
          "import os, time, batchscope\nwhile not os.path.exists('go'): time.sleep(0.01)\n"
          "for step in range(10000):\n    batchscope.record(loss=step)\n    time.sleep(0.01)\n");
    VERIFY_CODE(kExitOk, ask({"run", "train.py", "--detach"}));
    VERIFY_HOLDS(ask({"rescale", "latest", "1"}).out, "stays on 1 replica\n");
    VERIFY_HOLDS(ask({"rescale", "latest", "2"}).out,
                 "restarts on 2 replicas once it has made its first step");
    QCOMPARE(show()["generations"].toArray().size(), 1);
    write("go", "");
    QTRY_COMPARE_WITH_TIMEOUT(show()["generations"].toArray().size(), 2, 20'000);
    QCOMPARE(show()["generations"].toArray()[1].toObject()["replicas"].toInt(), 2);
    VERIFY_CODE(kExitOk, ask({"stop", "latest"}));
    QTRY_COMPARE_WITH_TIMEOUT(state(), "stopped", 20'000);
  }

  void tellsOfAnInterpreterThatIsNotThere() {
    write("train.py", "");
    const Answer answer = sandbox_->ask({"run", "train.py"}, {{"PYTHON", "/no/python"}});
    VERIFY_CODE(kExitNotFound, answer);
    VERIFY_HOLDS(answer.err, "/no/python");
  }

  void showsWhatPythonPrintsAtOnce() {
    if (!QFileInfo::exists("/usr/bin/python3")) QSKIP("there is no /usr/bin/python3");
    write(
        "train.py",
        "import os, time\nprint('ready')\nwhile not os.path.exists('go'): time.sleep(0.02)\nprint('gone')\n");
    const auto process = sandbox_->start({"run", "train.py"});
    QByteArray out;
    const bool isShown = awaitOutput(*process, out, "ready\n");
    write("go", "");
    const Answer answer = Sandbox::finish(*process);
    QVERIFY2(isShown, out.constData());
    VERIFY_CODE(kExitOk, answer);
    VERIFY_HOLDS(answer.out, "gone\n");
  }

  // The traceback is told once, and no second attempt is made at what would only fail again.
  void tellsWhereAScriptRaised() {
    if (!QFileInfo::exists("/usr/bin/python3")) QSKIP("there is no /usr/bin/python3");
    write("train.py",
          "import json\ndef inner(text): return json.loads(text)\ndef outer(): return "
          "inner('{')\nprint('begun')\nouter()\n");
    const QString frame = "train.py\", line 2, in inner";
    const Answer shown = ask({"run", "train.py"});
    VERIFY_CODE(kExitFailure, shown);
    QCOMPARE(shown.out.count("begun"), 1);
    QCOMPARE((shown.out + shown.err).count(frame), 1);
    VERIFY_HOLDS(shown.err, "failed: rank 0 ended with exit code 1: json.decoder.JSONDecodeError: Expecting",
                 "Its output: batchscope logs");
    QVERIFY2(!shown.err.contains("resume"), qPrintable(shown.err));
    QVERIFY2(!shown.out.contains("failed"), qPrintable(shown.out));
    QCOMPARE(show()["generations"].toArray().size(), 1);

    const Answer quiet = ask({"run", "--quiet", "train.py"});
    QCOMPARE((quiet.out + quiet.err).count(frame), 1);
    VERIFY_HOLDS(quiet.err, "train.py\", line 5, in <module>");
    QVERIFY2(!quiet.err.contains("json/decoder.py"), "only the script's own frames");
  }

  void saysWhatIsNotRecorded() {
    if (!QFileInfo::exists("/usr/bin/python3")) QSKIP("there is no /usr/bin/python3");
    write("train.py", "print('done')\n");
    const Answer answer = ask({"run", "train.py"});
    VERIFY_CODE(kExitOk, answer);
    VERIFY_HOLDS(answer.out,
                 ", not recorded: the program reported no steps; `import batchscope; batchscope.record(",
                 "Its output: batchscope logs ");
    QCOMPARE(answer.out.count("reported no steps"), 1);
    QVERIFY2(!answer.out.contains("executed, not forked"), "which only explains faults");
    VERIFY_HOLDS(ask({"show", "latest"}).out, "debug: replicas are executed, not forked");
    QVERIFY2(!answer.out.contains("0 epochs") && !answer.out.contains(" 0 %"), qPrintable(answer.out));
    VERIFY_HOLDS(ask({"show", "latest"}).out, "progress    not recorded", "the program reported no steps");
    QCOMPARE(ask({"ls", "--columns", "epoch,step,fraction"}).out.count("not recorded"), 3);
  }
};

BATCHSCOPE_TEST(TestScript)
#include "test_script.moc"
