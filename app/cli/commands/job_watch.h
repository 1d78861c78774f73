// SPDX-License-Identifier: Apache-2.0
//
// Watches Slurm's queue for a run that is followed. Asks now and then on a machine that has the run's folder:
// `batchscope slurm-job FOLDER --state`, over ssh if that is another machine. Never waits for the answer.
#pragma once

#include <QProcess>
#include <chrono>
#include <optional>
#include <string>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"
#include "follow/record_tail.h"

namespace batchscope::cli {

class JobWatch {
 public:
  struct News {
    storage::ClusterJob job;
    protocol::Json spec;  // of the run, as its folder has it
  };

  explicit JobWatch(const RecordPlace& place);
  ~JobWatch();

  // Returns an answer that has come since the last look, and asks again when it is time: after 5 s while no
  // job trains the run, after 30 s while one does. BATCHSCOPE_SLURM_INTERVAL replaces the 5 s, for a busy
  // controller.
  std::optional<News> look();
  // Makes the next look() ask, unless one has asked within the last seconds.
  void hurry();
  // Waits until an answer has come, or until look() would give the question up.
  std::optional<News> await();

  // Returns whether the folder is one of Slurm jobs, as far as is known.
  bool isJob() const { return isJob_; }
  // Returns whether no answer has come yet.
  bool isUnheard() const { return isJob_ && !answers_ && trouble_.empty(); }
  // Returns the words of the command that controls the run from there; empty if it is in no job, or if
  // batchscope cannot be called there.
  std::vector<std::string> control() const;
  // Returns why the last question was not answered; empty: it was.
  const std::string& trouble() const { return trouble_; }

 private:
  using Clock = std::chrono::steady_clock;

  void ask();
  std::optional<News> hear();

  RecordPlace place_;
  std::chrono::milliseconds interval_;
  std::string program_;  // ours, there
  QProcess process_;
  Clock::time_point due_, asked_;
  bool isAsking_ = false, answers_ = false;
  bool isJob_ = true;  // so far as we know
  std::string trouble_;
};

}  // namespace batchscope::cli
