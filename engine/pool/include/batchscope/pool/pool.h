// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pool's process, `batchscope-pool`: engine/pool/POOL.md.
#pragma once

namespace batchscope::pool {

/// Decides and acts until there is nothing left to decide, or SIGTERM or SIGINT ends it, which loses nothing.
/// Needs a run::Application. Returns an exit code (protocol/error.h), at once where another pool of this
/// store lives. Throws Error where the catalogue cannot be opened.
int run_pool();

}  // namespace batchscope::pool
