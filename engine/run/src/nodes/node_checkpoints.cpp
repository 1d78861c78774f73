// SPDX-License-Identifier: Apache-2.0
#include "nodes/node_checkpoints.h"

#include <algorithm>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

bool is_it(const fs::path& checkpoint, const OfferedCheckpoint& offer) try {
  return protocol::file_crc32(checkpoint / protocol::kManifestFile) == offer.manifest_crc32;
} catch (const Error&) {
  return false;
}

}  // namespace

NodeCheckpoints::NodeCheckpoints(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (!fs::create_directory(folder_, error) && error)
    throw Error(ErrorKind::io, "cannot make the folder " + folder_.string() + ": " + error.message());
}

bool NodeCheckpoints::lacks(const OfferedCheckpoint& offer) const {
  std::error_code error;
  const auto passed_over = [&](const std::string& name) {
    return std::find(offer.later.begin(), offer.later.end(), name) != offer.later.end();
  };
  bool there = false;
  for (const fs::path& checkpoint : protocol::list_checkpoints(folder_)) {
    const std::string name = checkpoint.filename().string();
    const bool newest = name == offer.name && is_it(checkpoint, offer);
    there = there || newest;
    if (!newest && !passed_over(name)) fs::remove_all(checkpoint, error);
  }
  for (const std::string& name : offer.later) fs::create_directory(folder_ / name, error);
  return !offer.name.empty() && !there;
}

}  // namespace batchscope::run
