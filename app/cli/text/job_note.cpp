// SPDX-License-Identifier: Apache-2.0
#include "text/job_note.h"

#include "batchscope/common/cluster_text.h"
#include "text/format.h"

namespace batchscope::cli {

std::string jobNote(const storage::Origin& origin) {
  if (!origin.job && origin.host.empty()) return {};
  if (!origin.job || origin.job->number.empty()) return "on " + common::clusterName(origin);
  std::string text = common::jobPlace(origin);
  if (!storage::waits(*origin.job)) return text;
  text += ": " + common::waitReason(*origin.job);
  if (origin.job->start > 0) text += ", expected to start at " + formatTime(origin.job->start);
  return text;
}

}  // namespace batchscope::cli
