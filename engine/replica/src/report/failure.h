// SPDX-License-Identifier: Apache-2.0
//
// This replica's own account of its end, for the supervisor: an exception that nobody caught, or another
// replica's end, which is nobody's fault here. Without it a supervisor sees two processes die in the same
// millisecond and cannot tell the cause from its effect. The first account counts, and what comes after it is
// a consequence; only about another replica may more be found out.
#pragma once

#include <cstdint>
#include <string>

namespace batchscope {
class Error;
}

namespace batchscope::replica {

// Reports, from here on, an exception that nobody catches before the program is aborted as ever, and an end
// with an exit code that speaks of failure.
void tell_unexpected_ends();

// A collective failed because of another replica.
void tell_peer_failure(const Error& error);

// Samples of each micro-batch of this replica, which an account holds, since memory may be what ran out; 0:
// none is under way.
void set_local_batch_size(std::int64_t samples);

// Why this replica ends now. `kind` and `checkpoint` as in protocol::Failure.
void tell_failure(const std::string& kind, const std::string& text, const std::string& checkpoint = {});

}  // namespace batchscope::replica
