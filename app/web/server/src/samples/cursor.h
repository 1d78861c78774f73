// SPDX-License-Identifier: Apache-2.0
//
// The samples of a run that a page has: a place in each series of the newest generation that has any (earlier
// ones are over). Most series have one sample a step and so the same place. As a text, the id of an event, a
// cursor names that place once: "3;1200;801;accuracy=2" is generation 3, place 1200 in every series that
// began at step 801 or before, and 2 in accuracy. A series that began later and is not in the cursor is new.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace batchscope::web {

struct Cursor {
  struct Place {
    std::int64_t count = 0;       // samples that are known
    std::int64_t first_step = 0;  // of the series in this generation
    bool operator==(const Place&) const = default;
  };

  int generation = -1;                               // none has any samples yet
  std::map<std::string, Place, std::less<>> places;  // by series

  std::string text() const;
};

// A cursor that was read: what it says of a series that began at this step.
class KnownPlaces {
 public:
  // None for what is not a cursor.
  static std::optional<KnownPlaces> parse(std::string_view text);

  int generation() const { return generation_; }
  std::int64_t of(const std::string& series, std::int64_t first_step) const;

 private:
  int generation_ = -1;
  std::int64_t usual_ = 0, usual_first_ = -1;
  std::map<std::string, std::int64_t, std::less<>> others_;
};

}  // namespace batchscope::web
