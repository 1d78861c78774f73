// SPDX-License-Identifier: Apache-2.0
/// \file
/// Names and tokens that nobody can guess.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace batchscope::protocol {

/// Returns so many of these letters, each drawn from the system's source of randomness. A token is 32
/// hexadecimal digits, 128 bits. Throws std::exception where the system has no such source.
std::string random_text(std::size_t length, std::string_view letters = "0123456789abcdef");

}  // namespace batchscope::protocol
