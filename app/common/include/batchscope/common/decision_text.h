// SPDX-License-Identifier: Apache-2.0
/// \file
/// A decision of the pool in words, the same in window and page.
#pragma once

#include <QString>
#include <functional>
#include <string>

#include "batchscope/protocol/pool.h"

namespace batchscope::common {

/// Returns the name of a run, by its id.
using NameOfRun = std::function<QString(const std::string& id)>;

int changeOf(const protocol::PoolChoice& choice);  ///< devices more, or fewer, than before
/// Returns "digits +1, cifar −1", or that nothing changed.
QString changesText(const protocol::PoolDecision& decision, const NameOfRun& nameOf);
/// Returns "1 → 2: cpu:0-1", or "2: cpu:0-1" where the number stays.
QString choiceText(const protocol::PoolChoice& choice);

}  // namespace batchscope::common
