// SPDX-License-Identifier: Apache-2.0
//
// Writing, reading and verifying checkpoint manifests.
#include "batchscope/protocol/manifest.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <variant>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/volatile_checkpoint.h"

namespace batchscope::protocol {
namespace {

namespace fs = std::filesystem;

constexpr char kFile[] = "manifest.json";
constexpr std::string_view kPrefix = "checkpoint-";

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

[[noreturn]] void fail_to_read(const fs::path& file, int error) {
  throw Error(ErrorKind::io, "cannot read " + file.string() + ": " + std::strerror(error ? error : EIO));
}

// A folder opens as a file does, and like a damaged sector fails when it is read.
std::string read_text(const fs::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in && errno != ENOENT && errno != ENOTDIR) fail_to_read(file, errno);
  if (!in)
    throw Error(ErrorKind::not_found, file.string() + " is missing: the checkpoint was never completed");
  std::string text;
  std::array<char, 1 << 14> block;
  while (in) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) fail_to_read(file, errno);
  return text;
}

}  // namespace

std::uint32_t file_crc32(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, 1 << 16> block;
  uLong crc = crc32(0, nullptr, 0);
  while (in) {
    in.read(block.data(), block.size());
    crc = crc32(crc, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(in.gcount()));
  }
  if (in.bad()) fail_to_read(file, errno);
  return static_cast<std::uint32_t>(crc);
}

void write_manifest(const fs::path& directory, const Manifest& manifest) {
  Json files = Json::array();
  for (const StateFile& file : manifest.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}});
    if (file.crc32) files.back()["crc32"] = *file.crc32;
  }
  Json ledger = Json::array();
  for (const LedgerEntry& entry : manifest.ledger) ledger.push_back(Json::parse(encode(entry)));
  const Json json{{"version", manifest.version},
                  {"step", manifest.step},
                  {"epoch", manifest.epoch},
                  {"progress", manifest.progress},
                  {"num_replicas", manifest.num_replicas},
                  {"reason", manifest.reason},
                  {"pinned", manifest.pinned},
                  {"files", files},
                  {"ledger", ledger}};
  const std::string text = json.dump(2) + "\n";

  const fs::path file = directory / kFile;
  const auto fail = [&](const char* what) {
    throw Error(ErrorKind::io,
                std::string("cannot ") + what + " " + file.string() + ": " + std::strerror(errno));
  };
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail("create");
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      close(fd);
      errno = error;
      fail("write");
    }
    done += static_cast<std::size_t>(n);
  }
  const int synced = fsync(fd);
  close(fd);
  if (synced != 0) fail("fsync");
}

Manifest read_manifest(const fs::path& directory) {
  const fs::path file = directory / kFile;
  const std::string text = read_text(file);
  Manifest manifest;
  try {
    const Json json = parse_object(text);
    const auto whole = [](const Json& object, const char* field, auto& value) {
      if (!object.at(field).is_number_integer())
        throw Error(ErrorKind::usage, std::string("\"") + field + "\" is no whole number");
      object.at(field).get_to(value);
    };
    whole(json, "version", manifest.version);
    if (manifest.version > Manifest::kVersion)
      throw Error(ErrorKind::version, file.string() + " is of version " + std::to_string(manifest.version) +
                                          ", this program reads up to " + std::to_string(Manifest::kVersion) +
                                          ": use a newer BatchScope");
    whole(json, "step", manifest.step);
    whole(json, "epoch", manifest.epoch);
    json.at("progress").get_to(manifest.progress);
    whole(json, "num_replicas", manifest.num_replicas);
    manifest.reason = json.value("reason", "");
    manifest.pinned = json.value("pinned", false);
    for (const Json& entry : json.at("files")) {
      StateFile state{entry.at("name"), 0, {}};
      whole(entry, "bytes", state.bytes);
      if (entry.contains("crc32")) whole(entry, "crc32", state.crc32.emplace());
      if (!is_plain_name(state.name))
        throw Error(ErrorKind::corrupt, file.string() + ": \"" + state.name + "\" is no file name");
      manifest.files.push_back(std::move(state));
    }
    for (const Json& entry : json.value("ledger", Json::array()))
      manifest.ledger.push_back(std::get<LedgerEntry>(decode(entry.dump())));
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::corrupt, file.string() + " is damaged: " + e.what());
  } catch (const std::bad_variant_access&) {
    throw Error(ErrorKind::corrupt, file.string() + " is damaged: its ledger holds something else");
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::corrupt, file.string() + " is damaged: " + e.what());
  }
  return manifest;
}

Manifest verify_checkpoint(const fs::path& directory) {
  Manifest manifest = read_manifest(directory);
  for (const StateFile& state : manifest.files) {
    const fs::path file = directory / state.name;
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (error) throw Error(ErrorKind::corrupt, file.string() + " is missing");
    if (static_cast<std::int64_t>(size) != state.bytes)
      throw Error(ErrorKind::corrupt, file.string() + " has " + std::to_string(size) +
                                          " bytes, its manifest says " + std::to_string(state.bytes));
    // What is in memory was just written there, and cannot be half there after a rename.
    if (state.crc32 ? file_crc32(file) != *state.crc32 : !is_volatile(directory))
      throw Error(ErrorKind::corrupt, file.string() + " does not match its checksum");
  }
  return manifest;
}

std::vector<fs::path> list_checkpoints(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::string_view number = std::string_view(name).substr(std::min(kPrefix.size(), name.size()));
    if (name.starts_with(kPrefix) && !number.empty() &&
        number.find_first_not_of("0123456789") == std::string_view::npos)
      found.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) fail_to_read(parent, error.value());
  // Zero-padded numbers: longer is larger, equal lengths compare as text.
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const auto left = a.filename().native(), right = b.filename().native();
    return left.size() != right.size() ? left.size() > right.size() : left > right;
  });
  return found;
}

std::optional<fs::path> newest_good_checkpoint(const fs::path& parent, std::vector<std::string>* skipped) {
  for (const fs::path& directory : list_checkpoints(parent)) {
    try {
      verify_checkpoint(directory);
      return directory;
    } catch (const Error& e) {
      if (skipped) skipped->push_back(directory.filename().string() + ": " + e.what());
    }
  }
  return std::nullopt;
}

}  // namespace batchscope::protocol
