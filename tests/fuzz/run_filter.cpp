// SPDX-License-Identifier: Apache-2.0
//
// The filter expression of `batchscope ls --where` and of the window's search.
#include "batchscope/storage/run_filter.h"

#include <algorithm>
#include <cmath>

#include "fuzz.h"

using namespace batchscope;
using storage::Run;
using storage::RunFilter;

namespace {

constexpr double kNow = 1.7e9;

Run recorded() {
  Run run;
  run.id = "3f9a12bc";
  run.name = "Digits wide";
  run.state = storage::RunState::finished;
  run.created = kNow - 7200;
  run.ended = kNow - 3600;
  run.replicas = 2;
  run.fraction = NAN;
  run.tags = {"baseline", "paper"};
  run.latest = {{"accuracy", 0.98}, {"loss", NAN}, {"gain", INFINITY}};
  run.hyperparameters = {{"lr", "0.1"}, {"optimizer", "adam"}};
  return run;
}

// Requires a fault within the text, or just behind it where something is missing; its message quotes it in
// three lines.
void check(const storage::FilterError& fault, std::size_t size) {
  const std::string_view message = fault.what();
  fuzz::require(fault.kind() == ErrorKind::usage, "what is not a filter is a usage error");
  fuzz::require(fault.column() <= size && fault.length() >= 1, "a fault is in the text");
  fuzz::require(std::count(message.begin(), message.end(), '\n') ==
                    2 + std::count(fault.reason().begin(), fault.reason().end(), '\n'),
                "the text is quoted in three lines");
}

// Wrapped in parentheses a filter means the same, unless that makes it too long or too deep.
bool can_be_wrapped(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") != std::string_view::npos &&
         text.size() + 16 <= RunFilter::kLongestText &&
         std::count(text.begin(), text.end(), '(') + 1 < RunFilter::kDeepestNesting;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Run runs[]{recorded(), Run{}};
  static const std::vector<std::string> names = storage::field_names(runs);
  const std::string text(fuzz::text(data, size));
  try {
    const RunFilter filter = RunFilter::parse(text);
    for (const Run& run : runs) {
      const bool passes = filter.matches(run, kNow);
      if (!can_be_wrapped(text)) continue;
      const auto judged = [&](const std::string& wrapped) {
        return fuzz::must_take([&] { return RunFilter::parse(wrapped); }).matches(run, kNow);
      };
      fuzz::require(judged("(" + text + ")") == passes, "parentheses change nothing");
      fuzz::require(judged("not (" + text + ")") != passes, "not is the opposite");
    }
    filter.check_fields(names);
  } catch (const storage::FilterError& fault) {
    check(fault, size);
  }
  return 0;
}
