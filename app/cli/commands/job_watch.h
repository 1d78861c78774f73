// SPDX-License-Identifier: Apache-2.0
//
// Watches Slurm's queue for a run that is followed, asked now and then where the run's folder is: `batchscope
// slurm-job FOLDER --state`, over ssh where it is on another machine. Never waits for the answer.
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

  // An answer that has come since the last look, and asks again where it is time: after 5 s while no job
  // trains the run, after 30 s while one does; of a busy controller less often, where
  // BATCHSCOPE_SLURM_INTERVAL says so instead of the 5.
  std::optional<News> look();
  // Asks with the next look, unless it has within the last seconds.
  void hurry();
  // Waits for an answer, as long as look() would take to bring one or to find that none comes.
  std::optional<News> await();

  // Whether its folder is one of jobs, so far as is known.
  bool isJob() const { return isJob_; }
  // Nobody has been asked yet, or the first answer is on its way.
  bool isUnheard() const { return isJob_ && !answers_ && trouble_.empty(); }
  // The words by which the run is controlled where its folder is; empty where it is in no job, or nobody can
  // be asked there.
  std::vector<std::string> control() const;
  // Why the last question was not answered; empty: it was.
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
