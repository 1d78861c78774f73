// SPDX-License-Identifier: Apache-2.0
//
// A sweep that somebody wrote by hand: what is read can be written and searched.
#include "batchscope/sweep/sweep_file.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::sweep;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  const auto file = folder.write("sweep.toml", fuzz::text(data, size));
  fuzz::may_refuse_as(
      [&] {
        const SweepFile sweep = SweepFile::load(file);
        fuzz::require(SweepFile::load(folder.write("again.toml", sweep.text())) == sweep,
                      "what is written is read");
        const Space space(sweep.parameters);
        std::vector<Trial> trials;
        while (trials.size() < 13) {
          const auto point = suggest(sweep.method, space, trials, sweep.seed);
          if (!point) break;
          fuzz::require(space.point(space.texts(*point)) == *point, "a point is read as it is written");
          trials.push_back({*point, Trial::State::ended, static_cast<double>(trials.size()), {}});
        }
        fuzz::require(!trials.empty(), "there is something to try");
      },
      ErrorKind::usage);
  return 0;
}
