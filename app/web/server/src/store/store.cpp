// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::web {
namespace {

using common::say;

constexpr std::size_t kMostReaders = 24;

[[noreturn]] void no_such_run(const std::string& id) {
  throw Error(ErrorKind::not_found, say("there is no run {}", id));
}

}  // namespace

storage::Catalogue& Store::catalogue() {
  if (!catalogue_) catalogue_.emplace(protocol::catalogue_path());
  return *catalogue_;
}

std::int64_t Store::version() {
  if (catalogue().changed()) ++version_;
  return version_;
}

storage::Run Store::run(const std::string& id) {
  if (!protocol::valid_run_id(id)) no_such_run(id);
  auto run = catalogue().run(id);
  if (!run || run->removed > 0) no_such_run(id);
  return *std::move(run);
}

const std::vector<storage::Run>& Store::runs() {
  if (const std::int64_t newest = version(); newest != runs_version_) {
    runs_ = catalogue().runs();
    runs_version_ = newest;
  }
  return runs_;
}

storage::SampleReader* Store::samples(const std::string& id) {
  const std::filesystem::path file = protocol::run_paths(id).samples;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return nullptr;
  const auto found =
      std::find_if(readers_.begin(), readers_.end(), [&](const Reader& reader) { return reader.run == id; });
  if (found != readers_.end()) {
    readers_.splice(readers_.begin(), readers_, found);
    if (found->device == status.st_dev && found->inode == status.st_ino) return found->samples.get();
    readers_.pop_front();
  }
  try {
    readers_.push_front({id, status.st_dev, status.st_ino, std::make_unique<storage::SampleReader>(file)});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) return nullptr;
    throw;
  }
  if (readers_.size() > kMostReaders) readers_.pop_back();
  return readers_.front().samples.get();
}

}  // namespace batchscope::web
