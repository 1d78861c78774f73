// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/manifest.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <variant>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "file_fault.h"

namespace batchscope::protocol {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = kCheckpointPrefix;
constexpr std::size_t kMostDigits = 12;
constexpr std::int64_t kNumbers = 1'000'000'000'000;
constexpr std::string_view kChecksum = "  \"crc32\": ";  // that its line begins with

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

[[noreturn]] void fail_to_read(const fs::path& file, int error) {
  throw Error(ErrorKind::io, "cannot read " + file.string() + ": " + std::strerror(error ? error : EIO));
}

[[noreturn]] void damaged(const fs::path& file, const std::string& why) {
  throw Error(ErrorKind::corrupt, file.string() + " is damaged: " + why);
}

// Hands all bytes of a file on, a block at a time. `name`: what errors call it.
template <class Take>
void read_blocks(const fs::path& file, const fs::path& name, Take take) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_to_read(name, errno);
  std::array<char, 1 << 16> block;
  while (in) {
    in.read(block.data(), block.size());
    take(std::string_view(block.data(), static_cast<std::size_t>(in.gcount())));
  }
  if (in.bad()) fail_to_read(name, errno);
}

std::uint32_t checksum_of(const fs::path& file, const fs::path& name) {
  std::uint32_t crc = 0;
  read_blocks(file, name, [&](std::string_view bytes) { crc = bytes_crc32(bytes, crc); });
  return crc;
}

// The lines of an object that is not closed yet, with their checksum as the last one.
std::string sealed(std::string lines) {
  lines += std::string(kChecksum) + std::to_string(bytes_crc32(lines)) + "\n}\n";
  return lines;
}

bool is_sealed(const std::string& text) {
  const auto last = text.rfind("\n" + std::string(kChecksum));
  if (last == std::string::npos) return false;
  return text == sealed(text.substr(0, last + 1));
}

// A line each: a whole run's are many.
Json row_of(const Stretch& stretch) {
  const LedgerEntry& e = stretch.entry;
  return {e.loader, stretch.generation, e.epoch, e.pass, e.from, e.to, e.padding, e.dataset_size, e.step};
}

Stretch stretch_of(const Json& row) {
  const auto whole = [&](std::size_t index) -> const Json& {
    if (!row.at(index).is_number_integer())
      throw Error(ErrorKind::usage, "a row of \"ledger\" holds a value that is not a whole number");
    return row.at(index);
  };
  Stretch stretch;
  LedgerEntry& e = stretch.entry;
  row.at(0).get_to(e.loader);
  whole(1).get_to(stretch.generation);
  whole(2).get_to(e.epoch);
  whole(3).get_to(e.pass);
  whole(4).get_to(e.from);
  whole(5).get_to(e.to);
  whole(6).get_to(e.padding);
  whole(7).get_to(e.dataset_size);
  whole(8).get_to(e.step);
  return stretch;
}

std::string text_of(const Manifest& manifest) {
  Json files = Json::array();
  for (const StateFile& file : manifest.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}});
    if (file.crc32) files.back()["crc32"] = *file.crc32;
  }
  Json json{{"version", Manifest::kVersion},
            {"step", manifest.step},
            {"epoch", manifest.epoch},
            {"progress", manifest.progress},
            {"num_replicas", manifest.num_replicas},
            {"generation", manifest.generation},
            {"reason", manifest.reason},
            {"pinned", manifest.pinned},
            {"files", files}};
  if (manifest.ledger_from > 0) json["ledger_from"] = manifest.ledger_from;
  std::string text = json.dump(2);
  text.resize(text.size() - 2);  // the end of the object, and of the line before it
  text += ",\n  \"ledger\": [";
  for (const Stretch& stretch : manifest.ledger)
    text += (text.back() == '[' ? "\n    " : ",\n    ") +
            row_of(stretch).dump(-1, ' ', false, Json::error_handler_t::replace);
  return sealed(text + "\n  ],\n");
}

// Version 1 has no checksum, and of the ledger what came since the checkpoint before it.
void take_ledger(const Json& json, Manifest& manifest) {
  const Json rows = json.value("ledger", Json::array());
  manifest.ledger.reserve(rows.size());
  for (const Json& row : rows)
    manifest.ledger.push_back(manifest.version == 1 ? Stretch{-1, std::get<LedgerEntry>(decode(row.dump()))}
                                                    : stretch_of(row));
  manifest.ledger_from = manifest.version == 1 ? manifest.step : json.value("ledger_from", std::int64_t{0});
}

Manifest parse(const std::string& text, const fs::path& file) {
  Manifest manifest;
  const Json json = parse_object(text);
  const auto whole = [](const Json& object, const char* field, auto& value) {
    if (!object.at(field).is_number_integer())
      throw Error(ErrorKind::usage, std::string("\"") + field + "\" is not a whole number");
    object.at(field).get_to(value);
  };
  whole(json, "version", manifest.version);
  if (manifest.version > Manifest::kVersion)
    throw Error(ErrorKind::version,
                fmt::format("{} has version {}, but this program reads up to {}: use a newer BatchScope",
                            file.string(), manifest.version, Manifest::kVersion));
  if (manifest.version < 1) damaged(file, "its version is below 1");
  if (manifest.version == 1 ? json.contains("crc32") : !is_sealed(text))
    throw Error(ErrorKind::corrupt, file.string() + " does not match its checksum");
  whole(json, "step", manifest.step);
  whole(json, "epoch", manifest.epoch);
  json.at("progress").get_to(manifest.progress);
  whole(json, "num_replicas", manifest.num_replicas);
  if (manifest.version > 1) whole(json, "generation", manifest.generation);
  manifest.reason = json.value("reason", "");
  manifest.pinned = json.value("pinned", false);
  for (const Json& entry : json.at("files")) {
    const Json& name = entry.at("name");
    StateFile state{name, 0, {}};
    whole(entry, "bytes", state.bytes);
    if (entry.contains("crc32")) whole(entry, "crc32", state.crc32.emplace());
    if (!is_plain_name(state.name)) damaged(file, name.dump() + " is not a file name");
    manifest.files.push_back(std::move(state));
  }
  if (manifest.files.empty()) damaged(file, "it names no file, but a checkpoint holds at least one");
  take_ledger(json, manifest);
  if (manifest.step < 0 || manifest.ledger_from < 0) damaged(file, "it counts steps below 0");
  return manifest;
}

Manifest read_from(const CheckpointFolder& folder, const fs::path& file) {
  std::string text;
  try {
    const auto [path, bytes] = folder.file(kManifestFile);
    text.reserve(static_cast<std::size_t>(bytes));
    read_blocks(path, file, [&](std::string_view block) { text += block; });
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::not_found) throw;
    throw Error(ErrorKind::not_found, file.string() + " is missing: the checkpoint was never completed");
  }
  try {
    return parse(text, file);
  } catch (const Json::exception& e) {
    damaged(file, fault_text(e));
  } catch (const std::bad_variant_access&) {
    damaged(file, "its ledger holds entries of another kind");
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::usage) throw;
    damaged(file, e.what());
  }
}

}  // namespace

std::uint32_t bytes_crc32(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t file_crc32(const fs::path& file) { return checksum_of(file, file); }

void write_manifest(const fs::path& directory, const Manifest& manifest) {
  const std::string text = text_of(manifest);
  const fs::path file = directory / kManifestFile;
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) fail_to("create", file, errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      close(fd);
      fail_to("write", file, error);
    }
    done += static_cast<std::size_t>(n);
  }
  const int synced = fsync(fd), error = errno;
  close(fd);
  if (synced != 0) fail_to("fsync", file, error);
}

Manifest read_manifest(const fs::path& directory, const fs::path& memory) {
  return read_from(CheckpointFolder(directory, memory), directory / kManifestFile);
}

Manifest verify_checkpoint(const fs::path& directory, const fs::path& memory) {
  const CheckpointFolder folder(directory, memory);
  Manifest manifest = read_from(folder, directory / kManifestFile);
  for (const StateFile& state : manifest.files) {
    const fs::path name = directory / state.name;
    CheckpointFolder::File file;
    try {
      file = folder.file(state.name);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::not_found) throw;
      throw Error(ErrorKind::corrupt, e.what());
    }
    if (file.bytes != state.bytes)
      throw Error(ErrorKind::corrupt, fmt::format("{} has {} bytes, but its manifest says {}", name.string(),
                                                  file.bytes, state.bytes));
    // A checkpoint in memory was just written there, and cannot be half there after a rename.
    if (state.crc32 ? checksum_of(file.path, name) != *state.crc32 : !folder.in_memory())
      throw Error(ErrorKind::corrupt, name.string() + " does not match its checksum");
  }
  return manifest;
}

std::optional<std::int64_t> checkpoint_number(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = std::string_view(name).substr(kPrefix.size());
  if (digits.empty() || digits.size() > kMostDigits ||
      digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::string checkpoint_name(std::int64_t number) {
  if (number < 0 || number >= kNumbers)
    throw Error(ErrorKind::io, fmt::format("a checkpoint cannot have the number {}: move checkpoints with "
                                           "such numbers out of the run's folder of checkpoints",
                                           number));
  std::array<char, 40> name;
  std::snprintf(name.data(), name.size(), "checkpoint-%06lld", static_cast<long long>(number));
  return name.data();
}

std::vector<fs::path> list_checkpoints(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; entry != end; entry.increment(error))
    if (checkpoint_number(entry->path().filename().string())) found.push_back(entry->path());
  if (error && error != std::errc::no_such_file_or_directory) fail_to_read(parent, error.value());
  const auto place = [](const fs::path& checkpoint) {  // two may have one number, with and without zeros
    const std::string name = checkpoint.filename().string();
    return std::pair(checkpoint_number(name), name);
  };
  std::sort(found.begin(), found.end(),
            [&](const fs::path& a, const fs::path& b) { return place(a) > place(b); });
  return found;
}

std::optional<fs::path> newest_good_checkpoint(const fs::path& parent, std::vector<std::string>* skipped,
                                               const fs::path& memory,
                                               const std::map<std::string, std::string>& unloadable) {
  for (const fs::path& directory : list_checkpoints(parent)) {
    const std::string name = directory.filename().string();
    try {
      if (const auto known = unloadable.find(name); known != unloadable.end())
        throw Error(ErrorKind::corrupt, known->second);
      verify_checkpoint(directory, memory);
      return directory;
    } catch (const Error& e) {
      if (skipped) skipped->push_back(name + ": " + e.what());
    }
  }
  return std::nullopt;
}

}  // namespace batchscope::protocol
