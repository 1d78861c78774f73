// SPDX-License-Identifier: Apache-2.0
//
// follow: the record of a run that trains elsewhere, taken into this store as it grows. Whatever breaks on
// the way there is tried again, from the offset that the store keeps.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "commands/commands.h"
#include "follow/record_tail.h"
#include "records/record_taker.h"
#include "records/store.h"
#include "slurm/job_folder.h"
#include "slurm/job_submission.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"

namespace batchscope::cli {
namespace {

using Clock = std::chrono::steady_clock;
using protocol::RunState;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{500}, kFirstRetry{500}, kLongestRetry{30'000}, kSlice{50};

// Nobody goes on with it but by a new command.
bool isLast(RunState state) { return state == RunState::finished || state == RunState::failed; }

class Following {
 public:
  explicit Following(const FollowOptions& options)
      : options_(options),
        place_(RecordPlace::parse(options.place)),
        taker_(place_.id, origin(place_)),
        catalogue_(openCatalogue()) {}

  int run() {
    const InterruptionGuard guard;
    try {
      follow();
    } catch (const Interrupted&) {
      taker_.commit();
    }
    const auto run = catalogue_.run(place_.id);
    for (const std::string& trouble : taker_.troubles()) fmt::print(stderr, "batchscope: {}\n", trouble);
    if (!run)
      throw Error(ErrorKind::not_found,
                  fmt::format("{} holds nothing of a run yet", printable(options_.place)));
    return answer(options_.json,
                  {{"followed", run->id},
                   {"state", protocol::run_state_name(run->state)},
                   {"samples", taker_.samples()},
                   {"taken", taker_.offset()}},
                  fmt::format("{} is {} after step {}, with {} that {} new", title(*run),
                              protocol::run_state_name(run->state), run->step,
                              plural(taker_.samples(), "sample"), taker_.samples() == 1 ? "is" : "are"));
  }

 private:
  static storage::Origin origin(const RecordPlace& place) {
    storage::Origin origin{.host = place.host, .folder = place.folder, .followed = true};
    const auto before = storage::Origins(protocol::catalogue_path()).find(place.id);
    if (before) origin.control = before->control;
    if (place.host.empty() && slurm::isJobFolder(place.folder))
      origin.control = slurm::controlOf(place.folder);
    if (!before) return origin;
    const bool isSame = before->host == place.host && before->folder == place.folder;
    if (isSame && before->followed) origin.taken = before->taken;
    return origin;
  }

  void follow() {
    const auto known = catalogue_.run(place_.id);
    const bool once = options_.once || (known && isLast(known->state));
    for (milliseconds retry = kFirstRetry;; retry = std::min(2 * retry, kLongestRetry)) {
      try {
        const auto tail = openRecordTail(place_, taker_.offset(), once);
        while (!(once && tail->isAtEnd()) && !isOver()) {
          throwIfInterrupted();
          const std::string bytes = tail->read(kPatience);
          if (bytes.empty()) continue;
          taker_.feed(bytes);
          taker_.commit();
          retry = kFirstRetry;
          tellState();
        }
        return;
      } catch (const Error& error) {
        if (options_.once || (error.kind() != ErrorKind::io && error.kind() != ErrorKind::corrupt)) throw;
        taker_.readOnFrom(error.kind() == ErrorKind::corrupt ? 0 : taker_.offset());
        tell(fmt::format("{}; trying again", error.what()));
      }
      wait(retry);
    }
  }

  bool isOver() const { return taker_.isEnded() && taker_.state() && isLast(*taker_.state()); }

  static void wait(milliseconds duration) {
    for (const auto end = Clock::now() + duration; Clock::now() < end; std::this_thread::sleep_for(kSlice))
      throwIfInterrupted();
  }

  void tellState() {
    if (options_.json || !taker_.state() || taker_.state() == told_) return;
    told_ = taker_.state();
    if (const auto run = catalogue_.run(place_.id))
      tell(fmt::format("{} is {}, step {}", title(*run), protocol::run_state_name(run->state), run->step));
  }

  // Each once, until there is other news.
  void tell(const std::string& news) {
    if (news == news_) return;
    news_ = news;
    fmt::print(stderr, "batchscope: {}\n", news);
  }

  const FollowOptions& options_;
  RecordPlace place_;
  RecordTaker taker_;
  storage::Catalogue catalogue_;
  std::optional<RunState> told_;
  std::string news_;
};

}  // namespace

int followRecord(const FollowOptions& options) { return Following(options).run(); }

}  // namespace batchscope::cli
