// SPDX-License-Identifier: Apache-2.0
#include "text/job_note.h"

#include "batchscope/common/cluster_text.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {

std::string jobNote(const storage::Origin& origin) {
  if (!origin.job && origin.host.empty()) return {};
  if (!origin.job || origin.job->number.empty()) return say("on {}", common::clusterName(origin));
  std::string text = common::jobPlace(origin);
  if (!storage::waits(*origin.job)) return text;
  text += ": " + common::waitReason(*origin.job);
  return origin.job->start > 0 ? say("{}, expected to start at {}", text, formatTime(origin.job->start))
                               : text;
}

}  // namespace batchscope::cli
