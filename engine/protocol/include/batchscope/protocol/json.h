// SPDX-License-Identifier: Apache-2.0
/// \file
/// JSON as all our messages use it: one object a line, and numbers that survive. JSON has no NaN and no
/// infinities, so these travel as the strings "nan", "inf" and "-inf" wherever a number is expected.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::protocol {

/// The library that reads and writes it.
using Json = nlohmann::json;

/// Returns a number, or one of the three strings.
Json encode_number(double value);
/// Returns an array of them.
Json encode_numbers(const std::vector<double>& values);

/// Reads a number. Throws Error(usage) for anything that is neither a number nor one of the three strings.
double decode_number(const Json& json);
/// Reads an array. Throws Error(usage) for anything that is not an array of them.
std::vector<double> decode_numbers(const Json& json);

/// Parses one line. Throws Error(usage) naming the position of the fault; never anything else.
Json parse_object(std::string_view line);

/// Returns what is wrong, for a person: an exception of the library in our words ("it is not JSON from byte 7
/// on", "expected a number, found a string"), any other in its own.
std::string fault_text(const std::exception& fault);

/// Cuts a byte stream into lines. A line longer than the limit is a fault of the peer: feed throws
/// Error(usage) and the connection should be closed.
class LineSplitter {
 public:
  /// Limit: bytes of the longest line, 16 MiB unless told otherwise.
  explicit LineSplitter(std::size_t limit = 16u << 20) : limit_(limit) {}

  /// Takes bytes, and returns the complete lines that end within them, without their newline.
  std::vector<std::string> feed(std::string_view bytes);

 private:
  std::string rest_;
  std::size_t limit_;
};

}  // namespace batchscope::protocol
