// SPDX-License-Identifier: Apache-2.0
/// \file
/// TOML files that people write by hand: every fault is reported with its file, line and field.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::run {

/// Reads the file; `what` names its kind in errors, such as "recipe". Throws Error(not_found), and
/// Error(usage) for what is not TOML.
toml::table read_toml(const std::filesystem::path& file, const std::string& what);

/// One table of such a file: reads fields, remembers which it has read, and reports faults with their place.
/// Every call throws Error(usage) where a field is not of its type, or a text holds a NUL, at which it would
/// end for every program that gets it. The table and the file's name must live as long.
class TomlFields {
 public:
  /// Reads the fields of a table of the file.
  TomlFields(const std::filesystem::path& file, const toml::table& table) : file_(file), table_(table) {}

  /// Throws Error(usage): "FILE:LINE: what".
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const;

  /// Throws Error(usage) because the field of this name is missing: with `what`, unless a field that was not
  /// read yet looks like a misspelling of it.
  [[noreturn]] void miss(const char* name, const std::string& what) const;

  const toml::node* find(const char* name);          ///< null: it is not there
  std::string text(const char* name);                ///< empty where it is not there
  std::string required_text(const char* name);       ///< which may not be empty
  std::optional<double> number(const char* name);    ///< finite
  std::vector<std::string> texts(const char* name);  ///< a list of texts; empty where it is not there
  /// Returns a text, number or truth value, in whatever TOML type it is written, as text.
  std::string scalar(const char* name);
  /// Returns a list of these; empty where it is not there.
  std::vector<std::string> scalars(const char* name);
  /// Throws where there is a field that was not read: a misspelt one must not be ignored silently.
  void no_others() const;

 private:
  std::string scalar(const char* name, const toml::node& node) const;
  std::optional<std::string> text_of(const char* name, const toml::node& node) const;

  const std::filesystem::path& file_;
  const toml::table& table_;
  std::set<std::string> known_;
};

}  // namespace batchscope::run
