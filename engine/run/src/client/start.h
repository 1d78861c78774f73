// SPDX-License-Identifier: Apache-2.0
//
// Starting a run whose folders are filled before its supervisor comes up.
#pragma once

#include <functional>
#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

// start_run of client.h; `prepare` is called between the making of the folders and the start.
std::string start_run(storage::Catalogue& catalogue, const protocol::RunSpec& spec,
                      const std::function<void(const std::string& id)>& prepare);

}  // namespace batchscope::run
