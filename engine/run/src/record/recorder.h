// SPDX-License-Identifier: Apache-2.0
//
// Writes the run into the store: telemetry into series, epochs, checkpoints, ledger and model, and what the
// supervisor has to say into state, generations and events. Nothing here can end the run: the catalogue's
// writes wait in a queue, in order, and what the disk refuses is tried again; series stay in the writer's
// memory likewise. Neither takes memory without end: what comes beyond a limit is dropped, counted, and told
// when the disk takes writes again. Monotonic times become wall time by an offset that is fixed for the
// supervisor's life, so that a clock that is set back bends no chart.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"

namespace batchscope::run {

class Recorder {
 public:
  // Writes to the catalogue that wait for its disk. Beyond them only those are kept of which there are few:
  // states, generations, checkpoints.
  static constexpr std::size_t kMostWaiting = 20'000;

  Recorder(storage::Catalogue& catalogue, const std::string& run, const protocol::RunPaths& paths,
           std::size_t most_waiting = kMostWaiting);

  std::function<void(const std::string& sentence)> on_trouble;  // the store refuses to be written

  double wall(double mono) const { return mono + offset_; }
  // Newest optimizer step recorded in the present generation; 0: none.
  std::int64_t last_step() const { return last_step_; }

  void begin_generation(int number);
  void take(const protocol::Message& message);
  // Values of these series, by name, at a step: what the supervisor itself has measured.
  void measured(std::int64_t step, const std::vector<std::pair<std::string, double>>& values);
  void put(const storage::Generation& generation);
  // Checkpoints that the generation may have written without a word.
  void adopt_checkpoints();
  // A generation begins with this one, or with none (empty): the ledger goes back to it.
  void restored(const std::string& checkpoint);
  void event(std::int64_t step, const std::string& level, const std::string& text);
  void spec(const protocol::RunSpec& spec);  // as the next supervisor is to take it
  void state(protocol::RunState state, const std::string& message);
  void progress(std::int64_t step, int epoch, int epochs, double fraction,
                const std::map<std::string, double>& latest);

  // Puts what is queued into the catalogue; call it when the event loop is idle.
  void flush();
  // Tries again where the disk refuses, up to so many times; `wait` comes before each.
  void flush(int attempts, const std::function<void()>& wait);
  bool flushed() const { return writes_.empty(); }
  // Commits the series; call it every 200 ms.
  void commit();

 private:
  using Write = std::function<void(storage::Catalogue&)>;
  // Something that the disk has refused, from the moment when it was told of until that is over.
  struct Trouble {
    bool reported = false;
    double since = 0;  // s, monotonic
  };

  void queue(Write write) { writes_.push_back(std::move(write)); }
  void queue_if_room(Write write);
  void trouble(Trouble& trouble, const std::string& what);
  // `missing` is of `what`.
  void tell_resumed(Trouble& trouble, const std::string& what, std::int64_t missing, const std::string& unit);
  static storage::SampleWriter open_samples(const std::filesystem::path& file, std::string& set_aside);
  void append(const std::string& series, std::int64_t first_step, std::span<const double> values);
  void take_steps(const protocol::Steps& steps);
  void take_epoch(const protocol::EpochMark& mark);
  void take_checkpoint(const protocol::CheckpointWritten& checkpoint);
  std::vector<std::filesystem::path> present_checkpoints() const;

  storage::Catalogue& catalogue_;
  const std::string run_;
  const protocol::RunPaths paths_;
  std::string samples_set_aside_;  // why, where the series that were there could not be opened
  storage::SampleWriter samples_;
  std::size_t repairs_reported_ = 0;
  const double offset_;
  const std::size_t most_waiting_;
  std::deque<Write> writes_;
  std::int64_t dropped_writes_ = 0;  // not reported yet
  Trouble catalogue_trouble_, samples_trouble_;
  std::int64_t dropped_values_reported_ = 0;

  int generation_ = 0;
  std::int64_t last_step_ = 0;
  std::int64_t dropped_ = 0;
  std::set<std::string> refused_;         // series of the present generation that had to be left out
  std::map<int, storage::Epoch> epochs_;  // by number, the newest begin of each
};

}  // namespace batchscope::run
