// SPDX-License-Identifier: Apache-2.0
//
// The words of the terminal, in the language of the interface (batchscope/common/language.h).
#pragma once

#include "batchscope/common/say.h"

namespace batchscope::cli {

using common::say;

}  // namespace batchscope::cli
