// SPDX-License-Identifier: Apache-2.0
//
// The samples that a run has gained since they were last looked at, as rows of a stream: a row a step, with
// what was recorded there and what is computed from it (derived_series.h). Where there are more rows than
// anybody can see, they are thinned to the least and the greatest of a few columns. Used on one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "batchscope/protocol/json.h"
#include "samples/cursor.h"
#include "store/store.h"

namespace batchscope::web {

struct SampleNews {
  std::string samples;  // {"run":..,"rows":[..],"thinned":true}, one line; empty: nothing is new
  bool lost = false;    // too much is new to be sent in rows: the page has to ask for it
};

class SampleTail {
 public:
  explicit SampleTail(const std::string& run) : run_(run) {}

  // Begins at the end of what there is now.
  void begin(Store& store);

  // Returns the samples since the last read. Throws Error.
  SampleNews read(Store& store);

  // Returns the samples between a page's cursor and here.
  SampleNews since(Store& store, std::string_view cursor);

  std::string cursor() const { return cursor_.text(); }

 private:
  struct Row {
    std::map<std::string, double> values;
  };
  using Rows = std::map<std::pair<int, std::int64_t>, Row>;  // by generation and step
  struct Position {
    double time = 0, progress = 0;  // NaN: unknown
  };

  SampleNews news_of(Store& store, Rows rows, std::size_t most);
  void derive(Rows& rows);

  const std::string run_;
  Cursor cursor_;
  const storage::SampleReader* seen_ = nullptr;  // of which `changed` was asked
  std::map<int, Position> positions_;            // the last known of each generation
  Rows inputs_;  // of derived series at the last steps: another input may come with a later commit
};

}  // namespace batchscope::web
