// SPDX-License-Identifier: Apache-2.0
//
// Edits of a run from a page, as `batchscope rename`, `note`, `tag`, `rm` and `restore` make them: its texts,
// and the trash.
#pragma once

#include <string>

#include "batchscope/protocol/json.h"
#include "store/store.h"

namespace batchscope::web {

// Changes the fields in {"set":{"name":..,"group":..,"tags":"a, b","note":..}}, and answers
// {"changed":{..},"before":{..}}: the texts that are others now, and what they were. With "was", texts by the
// same names, nothing is changed unless the run has these: so an undo does not take back another person's
// later change. Throws Error: usage, conflict, not_found.
protocol::Json edit_run(Store& store, const std::string& id, const std::string& person,
                        const protocol::Json& body);

// Moves the run into the trash with {"removed":true}, or out of it with false. Answers {"removed":..}. Throws
// Error(conflict) for a run that goes on or waits to.
protocol::Json trash_run(Store& store, const std::string& id, const std::string& person,
                         const protocol::Json& body);

}  // namespace batchscope::web
