// SPDX-License-Identifier: Apache-2.0
//
// A run's record on its way into this store, from any place of it on. Samples are committed first, then what
// the catalogue has of it together with the offset up to which all of it was taken; who is killed between the
// two takes some lines again, and lines that are taken twice count once: a block of samples says how many
// there were before it.
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
  // Takes the record of the run `id`, whose folder is made where there is none; it is the one writer of its
  // samples while it lives. With a `spec` the run is one that this store may go on with, by this spec. Throws
  // Error(conflict) where somebody else writes them.
  RecordTaker(std::string id, storage::Origin origin, std::optional<protocol::RunSpec> spec = {});

  // Where in the record to read on: behind the last whole line.
  std::int64_t offset() const { return origin_.taken; }
  // The next bytes are those from there on: offset() after a connection broke in the middle of a line, 0
  // where the record is another file than before.
  void readOnFrom(std::int64_t offset);

  // Bytes from there on, in their order. Lines that cannot be read are passed over and counted; commits now
  // and then. Throws Error(version) for a newer record, Error(conflict) for another run's.
  void feed(std::string_view bytes);
  void commit();
  // Takes a description of what is known of a run before its record begins. Throws as feed does, and
  // Error(corrupt).
  void describe(const protocol::Json& description);

  // Returns the state in the newest description; none before the first, or where none was new.
  std::optional<protocol::RunState> state() const { return state_; }
  // The newest line is an end: all of that time is here.
  bool isEnded() const { return isEnded_; }
  std::int64_t samples() const { return samples_; }  // taken
  // Returns what was passed over, a sentence each, with the first reason.
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
