// SPDX-License-Identifier: Apache-2.0
//
// Generations of one program on the same checkpoints.
#pragma once

#include <QDir>
#include <filesystem>

#include "batchscope/protocol/manifest.h"
#include "replicas.h"

namespace batchscope::testing {

class Job {
 public:
  explicit Job(const QString& program, QStringList arguments = {})
      : launch_{.program = program, .arguments = std::move(arguments)} {
    launch_.variables[protocol::variable::kCheckpointPath] = path("checkpoints");
  }

  // `signal`: where one of the replicas ends, as the program understands it.
  std::vector<Replica> generation(int replicas, const QString& signal = {}, const QStringList& more = {},
                                  const std::string& triggers = {}) {
    Launch launch = launch_;
    launch.replicas = replicas;
    launch.generation = generation_++;
    launch.arguments += more;
    if (!signal.isEmpty()) launch.arguments << "--signal" << signal;
    launch.variables[protocol::variable::kTriggers] = triggers;
    return run(launch);
  }

  std::string& variable(const char* name) { return launch_.variables[name]; }

  // Returns the path of a file or a folder that goes with the job.
  std::string path(const char* name) const { return directory_.filePath(name).toStdString(); }
  std::vector<std::filesystem::path> checkpoints() const {
    return protocol::list_checkpoints(path("checkpoints"));
  }
  protocol::Manifest newest() const { return protocol::verify_checkpoint(checkpoints().at(0)); }

 private:
  QTemporaryDir directory_;
  Launch launch_;
  int generation_ = 0;
};

}  // namespace batchscope::testing
