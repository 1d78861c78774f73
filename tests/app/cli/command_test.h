// SPDX-License-Identifier: Apache-2.0
//
// The base of the tests of commands: a sandbox for each function, and runs with a history and series, put
// into its store as a supervisor would.
#pragma once

#include <signal.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "batchscope/storage.h"
#include "batchscope/storage/sweeps.h"
#include "sandbox.h"
#include "test_case.h"
#include "text_files.h"

namespace batchscope::cli {

struct RunMaker {
  std::string name = "digits";
  protocol::RunState state = protocol::RunState::finished;
  double accuracy = 0.97;
  std::vector<std::string> tags = {};
  std::string group = {};
  std::map<std::string, std::string> hyperparameters = {};
  int steps = 0;  // of the series "loss", halved between two generations

  static double loss(int step) { return 2.0 / std::sqrt(step); }
};

// A trial of a sweep after its first leg.
struct TrialMaker {
  protocol::RunState state = protocol::RunState::paused;
  storage::SweepLeg::Outcome outcome = storage::SweepLeg::Outcome::value;
  double accuracy = 0;
};

class CommandTest : public QObject {
 protected:
  void newSandbox() { sandbox_ = std::make_unique<Sandbox>(); }

  Answer ask(const QStringList& arguments) const { return sandbox_->ask(arguments); }
  QJsonArray runs() const { return sandbox_->runs(); }
  // The newest run as `show` has it, and its state.
  QJsonObject show() const { return ask({"show", "latest", "--json"}).json(); }
  QString state() const { return show()["run"].toObject()["state"].toString(); }

  // A test that failed half-way leaves no supervisor behind.
  void endSupervisors() const {
    for (const auto& run : runs())
      if (const int supervisor = run.toObject()["supervisor"].toInt(); supervisor > 0)
        kill(supervisor, SIGTERM);
  }

  // Runs a line in bash, with our programs in its PATH.
  Answer shell(const QString& line) const {
    const auto process = sandbox_->prepare({"-c", line}, {{"PATH", Sandbox::ourPath()}});
    process->setProgram("bash");
    return Sandbox::run(*process);
  }

  storage::Catalogue catalogue() const { return storage::Catalogue(sandbox_->database().toStdString()); }

  QString makeRun(const RunMaker& maker = {}) const {
    storage::Catalogue catalogue = this->catalogue();
    protocol::RunSpec spec;
    spec.name = maker.name;
    spec.program = "/bin/true";
    spec.group = maker.group;
    const std::string id = catalogue.create_run(spec);
    const QString run = QString::fromStdString(id);
    const int half = maker.steps / 2;
    catalogue.put_generation(id, {0, 1, "start", storage::now(), 0, 1, half, "", -1, {}, ""});
    catalogue.put_generation(id,
                             {1, 2, "rescale", storage::now(), 0, half + 1, maker.steps, "", 0.085, {}, ""});
    catalogue.set_tags(id, maker.tags);
    catalogue.put_hyperparameters(id, maker.hyperparameters);
    catalogue.set_progress(id, maker.steps, 4, 4, 1, {{"accuracy", maker.accuracy}, {"loss", 0.12}});
    catalogue.set_state(id, maker.state);
    if (maker.steps == 0) return run;
    storage::SampleWriter writer(sandbox_->samples(run).toStdString());
    for (int step = 1; step <= maker.steps; ++step)
      writer.append(step <= half ? 0 : 1, "loss", step, RunMaker::loss(step));
    writer.append(1, "strange", 1, NAN);
    writer.append(1, "strange", 2, -INFINITY);
    writer.append(1, "strange", 4, 0.1);
    return run;
  }
  // Makes a run of two replicas that was restarted on three, with what was predicted of the restart.
  std::string makeRestartedRun(const std::string& name, protocol::RunState state) const {
    storage::Catalogue catalogue = this->catalogue();
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/bin/true";
    spec.arguments = {"--epochs", "4"};
    const std::string id = catalogue.create_run(spec);
    storage::Generation first;
    first.replicas = 2;
    first.reason = "start";
    first.first_step = 1;
    first.last_step = 40;
    catalogue.put_generation(id, first);
    storage::Generation second;
    second.number = 1;
    second.replicas = 3;
    second.reason = "rescale";
    second.first_step = 41;
    second.last_step = 90;
    second.pause = 0.085;
    second.pause_parts = {{"checkpoint", 0.04}, {"launch", 0.02}};
    second.predicted_goodput = 18412;
    second.obtained_goodput = 17891;
    catalogue.put_generation(id, second);
    catalogue.set_progress(id, 90, 2, 4, 0.5, {{"accuracy", 0.9712}, {"loss", 0.12}});
    catalogue.add_event(id, 1, 41, "warning", "restarted on 3 replicas");
    catalogue.set_state(id, state);
    return id;
  }
  // Makes a run as a supervisor that trains it; this process is its supervisor, and lives.
  QString makeBusyRun(int steps) const {
    const QString run = makeRun({.name = "busy", .state = protocol::RunState::running, .steps = steps});
    if (!catalogue().claim_supervisor(run.toStdString())) qFatal("a new run has a supervisor");
    return run;
  }

  // A sweep of the accuracy, whose trials are runs of the queue: NAME-0, NAME-1, ..
  void makeSweep(const std::string& name, const std::vector<TrialMaker>& trials) const {
    storage::Catalogue catalogue = this->catalogue();
    storage::Sweeps sweeps(catalogue);
    storage::Sweep sweep;
    sweep.name = name;
    sweep.file =
        "program = \"true\"\nmetric = \"accuracy\"\ngoal = \"max\"\ntrials = 9\n[parameter.lr]\nmin = 0.1\n"
        "max = 1.0\n";
    sweeps.create(sweep);
    for (std::size_t number = 0; number < trials.size(); ++number) {
      storage::SweepLeg leg;
      leg.trial = number;
      sweeps.begin_leg(name, number, leg);
      protocol::RunSpec spec;
      spec.name = name + "-" + std::to_string(number);
      spec.program = "/bin/true";
      const std::string id = sweeps.submit(name, {.trial = number, .leg = number}, spec);
      leg.outcome = trials[number].outcome;
      leg.value = trials[number].accuracy;
      if (leg.outcome != storage::SweepLeg::Outcome::under_way) sweeps.end_leg(name, number, leg);
      catalogue.set_state(id, trials[number].state);
      // One that is paused has a supervisor: this process, which lives.
      if (trials[number].state == protocol::RunState::paused && !catalogue.claim_supervisor(id))
        qFatal("a new run has a supervisor");
    }
  }

  // Returns the contents of a file in the sandbox.
  QByteArray contents(const QString& file) const {
    return QByteArray::fromStdString(testing::contents(sandbox_->path(file).toStdString()));
  }
  void write(const QString& file, const QByteArray& text) const {
    testing::write_file(sandbox_->path(file).toStdString(), text.toStdString());
  }
  QString inRun(const QString& file) const { return sandbox_->path("runs/" + id_ + "/" + file); }

  std::unique_ptr<Sandbox> sandbox_;
  QString id_;  // of the run that a test has made first, where it has
};

// All that the process writes until it has written the text; false where it does not come.
inline bool awaitOutput(QProcess& process, QByteArray& out, const char* text) {
  return QTest::qWaitFor(
      [&] {
        process.waitForReadyRead(100);
        out += process.readAllStandardOutput();
        return out.contains(text);
      },
      Sandbox::kPatienceMs);
}

}  // namespace batchscope::cli
