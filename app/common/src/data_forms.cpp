// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/data_forms.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace batchscope::common {

std::string csvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string safe = "\"";
  for (const char c : text) safe += c == '"' ? "\"\"" : std::string(1, c);
  return safe + '"';
}

std::string csvCell(std::optional<double> value) {
  if (!value) return {};
  if (!std::isfinite(*value)) return protocol::encode_number(*value).get<std::string>();
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), *value).ptr};
}

protocol::Json jsonNumber(std::optional<double> value) {
  return value ? protocol::encode_number(*value) : protocol::Json();
}

std::string exportName(const storage::Run& run, const std::string& ending) {
  return exportName(run.name.empty() ? "run" : run.name, "-" + run.id + ending);
}

std::string exportName(std::string name, const std::string& ending) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') c = '-';
  if (name.starts_with('.')) name.front() = '-';
  return name + ending;
}

}  // namespace batchscope::common
