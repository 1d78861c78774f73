// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace batchscope::storage {

// A condition in SQL on a row of `run`: it has held devices of this machine, and was not taken from
// elsewhere.
constexpr char kOfThisMachine[] =
    " EXISTS (SELECT 1 FROM lease_event WHERE lease_event.run = run.key)"
    " AND NOT EXISTS (SELECT 1 FROM origin WHERE origin.run = run.key) ";

}  // namespace batchscope::storage
