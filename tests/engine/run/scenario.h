// SPDX-License-Identifier: Apache-2.0
//
// The base of tests with processes: a store of their own, runs of the fake replica under a real supervisor
// process, and waiting for what must come.
#pragma once

#include <signal.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "batchscope/protocol/paths.h"
#include "batchscope/run/client.h"
#include "batchscope/storage/catalogue.h"
#include "system/process_table.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

namespace batchscope::run {

class Scenario : public QObject {
 protected:
  // Begins a new store, in place of the one before.
  void begin() {
    end();
    directory_ = std::make_unique<QTemporaryDir>();
    const std::string root = directory_->path().toStdString();
    qputenv("BATCHSCOPE_DB", (root + "/data/runs.db").c_str());
    qputenv("XDG_STATE_HOME", (root + "/state").c_str());
    qputenv("BATCHSCOPE_BIN", BATCHSCOPE_TEST_BIN);
    catalogue_.emplace(protocol::catalogue_path());
  }

  ~Scenario() override { end(); }

  // No test leaves a process behind, whatever became of it.
  void end() {
    if (!catalogue_) return;
    for (const auto& run : catalogue_->runs()) {
      if (run.supervisor_pid > 0 && protocol::is_active(run.state))
        ::kill(static_cast<pid_t>(run.supervisor_pid), SIGKILL);
      for (const ProcessId& replica : replicas(run.id))
        if (is_alive(replica)) ::kill(-replica.pid, SIGKILL);
    }
  }

  storage::Catalogue& catalogue() { return *catalogue_; }

  // Returns a spec of the fake replica, with these arguments.
  protocol::RunSpec spec_of(int replicas, std::vector<std::string> arguments) const {
    protocol::RunSpec spec;
    spec.name = "scenario";
    spec.program = BATCHSCOPE_TEST_BIN "/fake-replica";
    spec.arguments = std::move(arguments);
    spec.working_directory = directory_->path().toStdString();
    spec.replicas = replicas;
    return spec;
  }

  std::string start(const protocol::RunSpec& spec) { return start_run(*catalogue_, spec); }
  std::string start(int replicas, std::vector<std::string> arguments) {
    return start(spec_of(replicas, std::move(arguments)));
  }

  // Resumes the run by another supervisor.
  void resume(const std::string& id) { resume_run(*catalogue_, id); }

  pid_t supervisor(const std::string& id) { return static_cast<pid_t>(catalogue_->run(id)->supervisor_pid); }
  static std::vector<ProcessId> replicas(const std::string& id) {
    return read_replicas(protocol::run_paths(id).root / "replicas.json");
  }

  // One that goes on until it is stopped, and trains by now.
  std::string train(int replicas, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"--steps", "100000"});
    const std::string id = start(replicas, std::move(arguments));
    if (!trains(id, replicas)) throw Error(ErrorKind::failure, "it does not train: " + story(id));
    return id;
  }

  bool stops(const std::string& id) {
    ask(id, protocol::Request::Command::stop);
    return reaches(id, protocol::RunState::stopped);
  }

  protocol::Json ask(const std::string& id, protocol::Request::Command command,
                     std::optional<int> replicas = {}) {
    protocol::Request r;
    r.command = command;
    r.replicas = replicas;
    return request(id, r, 20000);
  }

  // The run is in this state, its generation has made steps, and (for an end) its supervisor is gone.
  bool reaches(const std::string& id, protocol::RunState state) {
    return eventually([&] {
      const auto run = catalogue_->run(id);
      return run->state == state && (protocol::is_active(state) || run->supervisor_pid == 0);
    });
  }

  bool trains(const std::string& id, int replicas) {
    return eventually([&] {
      const auto status = ask(id, protocol::Request::Command::status).get<protocol::RunStatus>();
      return status.state == protocol::RunState::running && status.replicas == replicas;
    });
  }

  bool tells(const std::string& id, const std::string& part) {
    return eventually([&] {
      for (const auto& event : catalogue_->events(id))
        if (event.text.find(part) != std::string::npos) return true;
      return false;
    });
  }

  // Returns the run's events, for a failing test's message.
  std::string story(const std::string& id) {
    std::string text = protocol::run_state_name(catalogue_->run(id)->state);
    for (const auto& event : catalogue_->events(id)) text += "\n  " + event.level + ": " + event.text;
    return text;
  }

  std::string file(const std::string& name) const { return directory_->filePath(name.c_str()).toStdString(); }

  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }

 private:
  std::unique_ptr<QTemporaryDir> directory_;
  std::optional<storage::Catalogue> catalogue_;
};

}  // namespace batchscope::run

// Verifies, as QVERIFY, a condition on a run: with what was told of it where it fails.
#define VERIFY_STORY(run, condition) QVERIFY2(condition, story(run).c_str())
#define VERIFY_RUN(condition) VERIFY_STORY(id, condition)
