// SPDX-License-Identifier: Apache-2.0
//
// The commands, each a function of its parsed options that returns an exit code (protocol/error.h) and throws
// Error for what a person can mend. command_line.cpp fills the options in.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace batchscope::cli {

struct RunOptions {
  std::string program;                 // a path, or the name of a program beside ours or on PATH
  std::vector<std::string> arguments;  // its own, from behind "--"
  std::string recipe;
  std::vector<std::string> settings;       // "epochs=3"
  std::string replicas;                    // "2", "auto:1-4"; empty: not said
  std::optional<double> efficiency_floor;  // of auto replicas
  std::string name;
  std::optional<std::string> device;
  bool oversubscribe = false;
  std::vector<std::string> triggers;
  std::string checkpoint_every;  // a duration; "0": never
  std::string collective_timeout, hang_timeout, rescale_timeout, checkpoint_timeout;  // durations
  std::optional<int> restart_budget;
  std::string non_finite;  // a policy
  bool detach = false;
  std::vector<std::string> expectations;
  std::string timeout;
  std::string report;
  bool json = false;
};
int runProgram(const RunOptions& options);

struct ResumeOptions {
  std::string run;
  int replicas = 0;  // 0: as many as before
  bool detach = false;
  bool json = false;
};
int resumeRun(const ResumeOptions& options);

struct RunReference {
  std::string run;  // "latest", or a unique prefix of an id or a name
  bool json = false;
};
int attachToRun(const RunReference& options);
int showRun(const RunReference& options);
int checkpointRun(const RunReference& options);
int pauseRun(const RunReference& options);
int stopRun(const RunReference& options);
int rescaleRun(const RunReference& options, const std::string& replicas);  // "3", "auto:1-4"

int listRuns(bool json);

struct LogOptions {
  std::string run;
  bool follow = false;
  std::optional<int> replica;     // none: all
  std::optional<int> generation;  // none: the newest
  std::string since;              // a duration, or empty: from the beginning
  bool json = false;
};
int printLogs(const LogOptions& options);

struct RemoveOptions {
  std::string run;
  bool yes = false;
  bool json = false;
};
int removeRun(const RemoveOptions& options);

struct CopyOptions {
  std::string source;  // "RUN:PATH", the path relative to the run's folder
  std::string destination;
  bool force = false;  // overwrite
  bool json = false;
};
int copyFromRun(const CopyOptions& options);

struct TensorboardOptions {
  std::string run;
  std::optional<int> port;
};
int openTensorboard(const TensorboardOptions& options);  // returns only by an Error

int examineMachine(bool json);

}  // namespace batchscope::cli
