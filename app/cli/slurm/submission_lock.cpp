// SPDX-License-Identifier: Apache-2.0
#include "slurm/submission_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "text/say.h"

namespace batchscope::cli::slurm {

SubmissionLock::SubmissionLock() {
  const auto file = protocol::catalogue_path().parent_path() / "slurm.lock";
  descriptor_ = open(file.c_str(), O_RDWR | O_CREAT, 0600);  // without O_CLOEXEC, see above
  if (descriptor_ < 0)
    throw Error(ErrorKind::io, say("cannot open {}: {}", file.string(), std::strerror(errno)));
  held_ = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
}

SubmissionLock::~SubmissionLock() { close(descriptor_); }

}  // namespace batchscope::cli::slurm
