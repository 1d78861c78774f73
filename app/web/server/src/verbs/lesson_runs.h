// SPDX-License-Identifier: Apache-2.0
//
// The recorded runs of lessons, taken into the store as the window does it: by `batchscope import`, each
// once. They are compiled in, so that a request names a lesson and no file.
#pragma once

#include <mutex>
#include <string>

#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// May be used by several threads.
class LessonRuns {
 public:
  // Takes in what the lesson needs and the store does not have. Answers the lesson (lesson_answers.h). Blocks
  // for about a second a run. Throws Error: not_found, and as run::import_run.
  protocol::Json take_in(Store& store, const std::string& lesson);

 private:
  std::mutex mutex_;  // two who open a lesson at once take its runs in once
};

}  // namespace batchscope::web
