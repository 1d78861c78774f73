// SPDX-License-Identifier: Apache-2.0
//
// export --format html: the page with a run's data, as one file.
#pragma once

#include <string>

namespace batchscope::cli {

struct RecordingOptions {
  std::string run;
  std::string output;  // "-": standard output; empty: NAME-ID.html here
  bool force = false;  // overwrite
  bool json = false;
};
int exportRecording(const RecordingOptions& options);

}  // namespace batchscope::cli
