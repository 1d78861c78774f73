// SPDX-License-Identifier: Apache-2.0
//
// The frame of the fuzz targets (https://llvm.org/docs/LibFuzzer.html). A target hands arbitrary bytes to
// what reads them from strangers. It may refuse them with an Error; what it accepts must hold what the target
// claims, and anything else, a foreign exception too, is a finding.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "batchscope/protocol/error.h"

namespace batchscope::fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool claim, const char* what) {
  if (claim) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// The bytes are bad input.
template <class Body>
void may_refuse(Body&& body) {
  try {
    body();
  } catch (const Error&) {
  }
}

// The same, where the header promises certain kinds of error.
template <class Body, class... Kinds>
void may_refuse_as(Body&& body, Kinds... kinds) {
  try {
    body();
  } catch (const Error& error) {
    if (!((error.kind() == kinds) || ...)) std::fprintf(stderr, "%s\n", error.what());
    require(((error.kind() == kinds) || ...), "the error is of a kind that the header names");
  }
}

// Calls a reader with input that we made ourselves, which must not be refused.
template <class Body>
auto must_take(Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    std::fprintf(stderr, "refused: %s\n", error.what());
    std::abort();
  }
}

// A folder in memory, for what reads files. Removed at the end, unless that is a crash.
class Folder {
 public:
  Folder() {
    std::string name = "/dev/shm/batchscope-fuzz-XXXXXX";
    if (!mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const char* name, std::string_view bytes) const {
    const auto file = path_ / name;
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace batchscope::fuzz
