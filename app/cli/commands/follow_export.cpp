// SPDX-License-Identifier: Apache-2.0
//
// export --follow: a process of its own beside the supervisor, which reads the store as every interface does.
// What cannot be written now, for example on a full disk, is written later: the file itself says how far it
// got.
#include "commands/follow_export.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "files/output_target.h"
#include "records/record_writer.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kInterval = std::chrono::seconds(1);
constexpr auto kRetry = std::chrono::seconds(5);
constexpr auto kWaitSlice = std::chrono::milliseconds(50);

void wait(Clock::duration duration) {
  for (const auto end = Clock::now() + duration; Clock::now() < end; std::this_thread::sleep_for(kWaitSlice))
    throwIfInterrupted();
}

// No supervisor has the run, and none will take it from the queue.
bool isOver(const storage::Run& run) { return !isHeld(run) && run.state != protocol::RunState::paused; }

class RunExport {
 public:
  RunExport(storage::Catalogue& catalogue, std::string id, const std::filesystem::path& file)
      : catalogue_(catalogue), id_(std::move(id)), file_(file) {}

  void run() {
    try {
      for (bool hasBegun = false;; wait(isWritable_ ? kInterval : kRetry)) {
        const storage::Run run = *catalogue_.run(id_);
        hasBegun |= !isOver(run) || run.state == protocol::RunState::finished;
        if (!update()) continue;
        if (hasBegun && isOver(run)) return writer_->finish();
      }
    } catch (const Interrupted&) {
    }
    if (update()) writer_->finish();
  }

  std::int64_t samples() const { return writer_ ? writer_->samples() : 0; }

 private:
  // False where the file could not be written.
  bool update() {
    try {
      if (!writer_) writer_ = std::make_unique<RecordWriter>(file_, id_);
      writer_->update(catalogue_);
      isWritable_ = true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io && error.kind() != ErrorKind::timeout) throw;
      if (isWritable_) fmt::print(stderr, "batchscope: {}\n", say("{}; trying again", error.what()));
      writer_.reset();  // the next one reads what became of it
      isWritable_ = false;
    }
    return isWritable_;
  }

  storage::Catalogue& catalogue_;
  std::string id_;
  std::filesystem::path file_;
  std::unique_ptr<RecordWriter> writer_;
  bool isWritable_ = true;
};

}  // namespace

int followExport(storage::Catalogue& catalogue, const storage::Run& run, const ExportOptions& options) {
  if (options.format != "jsonl" || !options.series.empty() || options.force)
    throw Error(ErrorKind::usage,
                say("--follow appends the whole run as jsonl: leave out --format, --series and --force"));
  const OutputTarget target(options.output.empty() ? usualExportName(run, options.format) : options.output);
  target.requirePlace(say("a record that grows"));
  target.requireWritable();
  const InterruptionGuard guard;
  RunExport following(catalogue, run.id, target.path());
  following.run();
  return answer(
      options.json, {{"written", target.name()}, {"run", run.id}, {"samples", following.samples()}},
      say("wrote {}: {} with {}", target.name(), title(run), plural(following.samples(), "sample")));
}

}  // namespace batchscope::cli
