// SPDX-License-Identifier: Apache-2.0
//
// Takes a run's record into this store, from any place in the record on. Samples are committed first, then
// the catalogue's part together with the offset up to which all was taken. A process that is killed between
// the two takes some lines again. Lines that are taken twice count once, because a block says how many
// samples came before it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/samples.h"
#include "records/record_line.h"

namespace batchscope::cli {

class RecordTaker {
 public:
  // Takes the record of the run `id`, and creates its folder if it is missing. While this object lives, it is
  // the only writer of the run's samples. With a `spec` this store may continue the run by this spec. Throws
  // Error(conflict) if another process writes the samples.
  RecordTaker(std::string id, storage::Origin origin, std::optional<protocol::RunSpec> spec = {});

  // Returns the offset at which to read on: after the last whole line.
  std::int64_t offset() const { return origin_.taken; }
  // Sets the offset of the next bytes: offset() after a connection broke in the middle of a line, 0 if the
  // record is another file than before.
  void readOnFrom(std::int64_t offset);

  // Takes the next bytes, in order. Skips and counts lines that cannot be read. Commits now and then. Throws
  // Error(version) for a newer record, Error(conflict) for another run's.
  void feed(std::string_view bytes);
  void commit();
  // Takes a description of a run before its record begins. Throws as feed does, and Error(corrupt).
  void describe(const protocol::Json& description);

  // Returns the state in the newest description; none before the first, or if there is no new one.
  std::optional<protocol::RunState> state() const { return state_; }
  // Returns whether the newest line is an end, so that nothing is missing so far.
  bool isEnded() const { return isEnded_; }
  std::int64_t samples() const { return samples_; }  // taken
  // Returns a sentence for each kind of thing that was skipped, with the first reason.
  std::vector<std::string> troubles() const;

 private:
  using Track = std::pair<std::string, int>;  // a series in a generation

  void take(const std::string& line);
  void take(const RecordBlock& block);
  void pass(const std::string& why);

  std::string id_;
  storage::Origin origin_;
  std::optional<protocol::RunSpec> spec_;
  storage::Origins origins_;
  std::map<Track, std::int64_t> counts_;  // of samples that the store has
  std::unique_ptr<storage::SampleWriter> writer_;
  protocol::LineSplitter splitter_{kLongestRecordLine};
  std::vector<storage::RecordPart> parts_;
  std::optional<protocol::RunState> state_;
  std::int64_t samples_ = 0, pending_ = 0, passed_ = 0, missing_ = 0, late_ = 0;
  std::string firstPassed_;
  bool isEnded_ = false;
};

}  // namespace batchscope::cli
