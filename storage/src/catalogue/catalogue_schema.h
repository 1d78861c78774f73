// SPDX-License-Identifier: Apache-2.0
//
// The tables of runs.db; storage/FORMAT.md explains them.
#pragma once

#include "database/schema.h"

namespace batchscope::storage {

const Schema& catalogue_schema();

}  // namespace batchscope::storage
