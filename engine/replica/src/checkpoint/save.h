// SPDX-License-Identifier: Apache-2.0
//
// Saving as save_all_states does it, while there is a supervisor that puts on disk what is in memory: in
// memory where there is room, for what the next generation begins with, and on the way out there where the
// disk has none.
#pragma once

#include <string>

namespace batchscope::replica {

void save_for_restart(const std::string& reason);
void save_for_exit(const std::string& reason);

}  // namespace batchscope::replica
