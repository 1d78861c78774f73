// SPDX-License-Identifier: Apache-2.0
//
// follow: takes the record of a run that trains elsewhere into this store as it grows, and the state of its
// jobs from the cluster. A broken connection is tried again, from the offset that the store keeps. The record
// decides the run's state while a job trains it; the queue decides between jobs, and after a job that ended
// without a report.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "batchscope/common/heard.h"
#include "batchscope/common/shell_words.h"
#include "batchscope/storage/record_json.h"
#include "commands/commands.h"
#include "commands/job_watch.h"
#include "follow/record_tail.h"
#include "records/record_taker.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "text/job_note.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Clock = std::chrono::steady_clock;
using protocol::Json;
using protocol::RunState;
using std::chrono::milliseconds;
using storage::ClusterJob;

constexpr milliseconds kRead{500}, kFirstRetry{500}, kLongestRetry{30'000}, kSlice{50};
// Answers in a row that there is no job, before a run counts as over although its record does not say so: a
// shared file system may show its last lines late.
constexpr int kAnswersForLost = 5;

// The run continues only by a new command.
bool isLast(RunState state) { return state == RunState::finished || state == RunState::failed; }

class Following {
 public:
  explicit Following(const FollowOptions& options)
      : options_(options),
        place_(RecordPlace::parse(options.place)),
        watch_(place_),
        origins_(protocol::catalogue_path()),
        taker_(place_.id, origin()),
        catalogue_(openCatalogue()) {}

  int run() {
    bool isLeft = false;
    const InterruptionGuard guard;
    try {
      follow();
    } catch (const Interrupted&) {
      taker_.commit();
      isLeft = true;
    }
    const auto run = catalogue_.run(place_.id);
    for (const std::string& trouble : taker_.troubles()) fmt::print(stderr, "batchscope: {}\n", trouble);
    if (!run)
      throw Error(ErrorKind::not_found, say("{} holds no record of a run yet", printable(options_.place)));
    return answer(options_.json,
                  {{"followed", run->id},
                   {"state", protocol::run_state_name(run->state)},
                   {"job", job_ ? Json(*job_) : Json()},
                   {"samples", taker_.samples()},
                   {"taken", taker_.offset()}},
                  sentence(*run, isLeft));
  }

 private:
  storage::Origin origin() {
    storage::Origin origin{
        .host = place_.host, .folder = place_.folder, .followed = true, .control = watch_.control()};
    const auto before = origins_.find(place_.id);
    if (before && before->followed && before->host == place_.host && before->folder == place_.folder)
      origin.taken = before->taken;
    return origin;
  }

  std::string sentence(const storage::Run& run, bool isLeft) const {
    std::string text =
        say("{} is {} after step {}, with {}", title(run), protocol::run_state_name(run.state), run.step,
            taker_.samples() == 1 ? say("1 sample that is new")
                                  : say("{} samples that are new", taker_.samples()));
    if (isLeft && !isLast(run.state))
      text += say("; the run goes on; watch it again with: batchscope follow {}",
                  common::shellWords(std::vector{options_.place}));
    return text;
  }

  void follow() {
    const auto known = catalogue_.run(place_.id);
    const bool once = options_.once || (known && isLast(known->state));
    if (once) hear(watch_.await());
    for (milliseconds retry = kFirstRetry;; retry = std::min(2 * retry, kLongestRetry)) {
      try {
        const auto tail = openRecordTail(place_, taker_.offset(), once);
        while (!(once && tail->isAtEnd())) {
          throwIfInterrupted();
          if (!once) hear(watch_.look());
          const std::string bytes = tail->read(kRead);
          if (bytes.empty() && isOver()) return;
          if (bytes.empty()) continue;
          take(bytes);
          retry = kFirstRetry;
        }
        isOver();
        return;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::io && error.kind() != ErrorKind::corrupt) throw;
        if (options_.once && (!hasJob() || taker_.offset() > 0)) throw;
        if (options_.once) return;
        taker_.readOnFrom(error.kind() == ErrorKind::corrupt ? 0 : taker_.offset());
        if (!awaitsFirstJob() && !watch_.isUnheard()) tell(say("{}; trying again", error.what()));
      }
      if (!wait(retry)) return;
    }
  }

  void take(const std::string& bytes) {
    taker_.feed(bytes);
    taker_.commit();
    common::noteHeard(place_.id);
    answers_ = 0;
    if (!taker_.state() || taker_.state() == told_) return;
    watch_.hurry();
    told_ = taker_.state();
    tellState();
  }

  // Takes the queue's news of the run.
  void hear(const std::optional<JobWatch::News>& news) {
    if (!watch_.trouble().empty()) tell(watch_.trouble());
    if (!news) return;
    const bool isNew = !catalogue_.run(place_.id);
    if (isNew && news->job.number.empty()) return;
    if (isNew) {
      taker_.describe(beginning(news->spec));
      taker_.commit();
    }
    const auto known = origins_.find(place_.id);
    if (const auto control = watch_.control(); control != known->control)
      origins_.set_control(place_.id, control);
    if (known->job != news->job) origins_.set_job(place_.id, news->job);
    common::noteHeard(place_.id);
    answers_ = news->job.number.empty() ? answers_ + 1 : 0;
    job_ = news->job;
    const RunState state = catalogue_.run(place_.id)->state;
    if (!protocol::is_active(state)) watch_.hurry();  // its next job may come at any moment
    if (storage::waits(*job_) && !isLast(state)) {
      if (state != RunState::pending) catalogue_.set_state(place_.id, RunState::pending);
      told_ = RunState::pending;
      tellState();
    }
  }

  // Before there is a record. The spec is checked as strictly as a record.
  Json beginning(const Json& spec) const {
    const double now = storage::now();
    return {{"format", storage::kRecordFormat},
            {"version", storage::kRecordVersion},
            {"run",
             {{"id", place_.id},
              {"name", spec.is_object() ? spec.value("name", Json()) : Json()},
              {"state", protocol::run_state_name(RunState::pending)},
              {"created", now},
              {"spec", spec}}}};
  }

  bool hasJob() const { return job_ && !job_->number.empty(); }
  bool awaitsFirstJob() const { return hasJob() && taker_.offset() == 0; }

  // Returns whether a run whose record has nothing new is over. If the record does not say so, writes the
  // state into the store.
  bool isOver() {
    if (taker_.isEnded() && taker_.state() && isLast(*taker_.state())) return true;
    const auto run = catalogue_.run(place_.id);
    if (!run) return false;
    if (!watch_.isJob())  // nobody else knows whether it goes on
      return taker_.isEnded() && isAtRest(run->state) && run->state != RunState::paused;
    if (answers_ == 0) return false;
    if (run->state == RunState::pending) {
      catalogue_.set_state(run->id, RunState::stopped, "it no longer has a job in the queue");
      return true;
    }
    if (!protocol::is_active(run->state)) return true;
    if (answers_ < kAnswersForLost) return false;
    catalogue_.set_state(run->id, RunState::interrupted,
                         "its last job ended without a report, and no job in the queue continues it; resume "
                         "it with: batchscope resume " +
                             run->id);
    return true;
  }

  // False where the run is over.
  bool wait(milliseconds duration) {
    // The queue is asked anyway, and says when there is something to read.
    for (auto end = Clock::now() + duration;
         Clock::now() < end || (awaitsFirstJob() && storage::waits(*job_));
         std::this_thread::sleep_for(kSlice)) {
      throwIfInterrupted();
      hear(watch_.look());
      if (answers_ > 0 && taker_.offset() == 0 && isOver()) return false;
    }
    return true;
  }

  void tellState() {
    if (options_.json) return;
    const auto run = catalogue_.run(place_.id);
    if (!run) return;
    const std::string state = protocol::run_state_name(run->state);
    if (run->state == RunState::pending)
      tell(say("{} is {}, {}", title(*run), state, printable(jobNote(*origins_.find(place_.id)))));
    else
      tell(say("{} is {}, step {}", title(*run), state, run->step));
  }

  // Prints news once, until there is other news.
  void tell(const std::string& news) {
    if (news == news_) return;
    news_ = news;
    fmt::print(stderr, "batchscope: {}\n", news);
  }

  const FollowOptions& options_;
  RecordPlace place_;
  JobWatch watch_;
  storage::Origins origins_;
  RecordTaker taker_;
  storage::Catalogue catalogue_;
  std::optional<RunState> told_;
  std::optional<ClusterJob> job_;  // as it was told last
  int answers_ = 0;                // in a row that there is none, since the record said something
  std::string news_;
};

}  // namespace

int followRecord(const FollowOptions& options) { return Following(options).run(); }

}  // namespace batchscope::cli
