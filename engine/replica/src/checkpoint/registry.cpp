// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/registry.h"

#include <errno.h>  // program_invocation_short_name

#include <algorithm>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "batchscope/protocol/checkpoint_folder.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/protocol/text.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/process_group.h"
#include "process/process.h"
#include "process/session.h"
#include "report/failure.h"
#include "report/telemetry_client.h"

namespace batchscope::replica {
namespace {

namespace fs = std::filesystem;

struct Registry {
  std::vector<checkpoint::State*> states;
  std::function<void()> own_states;
  std::optional<std::string> restored_from;
  std::optional<protocol::Manifest> restored;
  std::optional<CheckpointStore> store;
};

Registry& registry() { return session().part<Registry>(); }
std::vector<checkpoint::State*>& states() { return registry().states; }

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name != protocol::kManifestFile &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

std::map<std::string, std::string> unloadable() {
  const std::string& given = process().environment.unloadable;
  if (given.empty()) return {};
  try {
    return protocol::Json::parse(given);
  } catch (const protocol::Json::exception& e) {
    throw Error(ErrorKind::usage, std::string(protocol::variable::kUnloadable) +
                                      " is not a JSON object of texts: " + protocol::fault_text(e));
  }
}

// A checkpoint in memory makes place for its copy on disk at any moment.
template <class Read>
auto at_second_try(Read read) {
  try {
    return read();
  } catch (const Error&) {
    return read();
  }
}

// Nothing mends a checkpoint whose files are as they were written and whose state cannot be made of them. The
// supervisor has the next generation begin with the one before it.
[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  tell_failure("checkpoint", why, restored_from());
  throw Error(ErrorKind::corrupt, file.string() + " cannot be loaded: " + why +
                                      "\nmove the checkpoint away to go on from the one before it");
}

std::string choose() {
  if (replica_rank() != 0) return {};
  std::vector<std::string> skipped;
  const auto newest = checkpoint_store().newest(&skipped);
  if (!newest && !skipped.empty()) {
    std::string all;
    for (const std::string& why : skipped) all += "\n  " + why;
    const std::string why = "none of the checkpoints in " + checkpoint_directory().string() +
                            " is good, and training does not start from the beginning by itself: put a good "
                            "copy of one back, or move them away to start from the beginning:" +
                            all;
    tell_failure("exception", why);  // whole: of a log one line is told
    throw Error(ErrorKind::corrupt, why);
  }
  for (const std::string& why : skipped)
    notice("warning", "skipped a checkpoint that is not good: " + why + "; used the one before it");
  return newest ? newest->filename().string() : std::string();
}

}  // namespace

fs::path checkpoint_directory() {
  const std::string& given = process().environment.checkpoint_path;
  return given.empty() ? fs::path(std::string(program_invocation_short_name) + ".checkpoints")
                       : fs::path(given);
}

const std::string& restored_from() {
  auto& chosen = registry().restored_from;
  if (!chosen) chosen = collective::broadcast("checkpoint", choose());
  return *chosen;
}

const protocol::Manifest& restored_manifest() {
  auto& manifest = registry().restored;
  if (!manifest)
    manifest = restored_from().empty() ? protocol::Manifest() : at_second_try([] {
      return protocol::read_manifest(checkpoint_directory() / restored_from(),
                                     process().environment.memory_path);
    });
  return *manifest;
}

CheckpointStore& checkpoint_store() {
  auto& store = registry().store;
  if (!store) store.emplace(checkpoint_directory(), process().environment.memory_path, unloadable());
  return *store;
}

void set_own_states(std::function<void()> make_and_load) { registry().own_states = std::move(make_and_load); }

void load_own_states() {
  // Forgotten first, because loading them comes back here.
  if (const auto make_and_load = std::exchange(registry().own_states, {})) make_and_load();
}

void sync_states() {
  load_own_states();
  // Iterates by index: a state's sync may touch a state that is made on first use.
  for (std::size_t i = 0; i < states().size(); ++i) states()[i]->sync();
}

std::vector<CheckpointStore::File> save_states() {
  std::vector<CheckpointStore::File> files;
  for (checkpoint::State* state : states())
    files.push_back({state->name(), [state](std::ostream& out) { state->save(out); }});
  return files;
}

std::vector<CheckpointStore::File> snapshot_states() {
  std::vector<CheckpointStore::File> files;
  for (checkpoint::State* state : states()) files.push_back({state->name(), state->snapshot()});
  return files;
}

}  // namespace batchscope::replica

namespace batchscope::checkpoint {

using namespace replica;

State::State(std::string name) : name_(std::move(name)) {
  if (!is_plain_name(name_))
    throw Error(ErrorKind::usage,
                "the state \"" + protocol::printable(name_) + "\" must have a plain file name as its name");
  for (const State* other : states())
    if (other->name() == name_)
      throw Error(ErrorKind::usage,
                  "there is already a state \"" + name_ + "\": every state needs its own name");
  states().push_back(this);
}

State::~State() { std::erase(states(), this); }

State::Writer State::snapshot() {
  std::ostringstream copy;
  save(copy);
  return [bytes = std::move(copy).str()](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
}

bool load_state(State& state) {
  load_own_states();
  if (restored_from().empty()) return false;
  const auto& files = restored_manifest().files;
  if (std::none_of(files.begin(), files.end(), [&](const auto& file) { return file.name == state.name(); }))
    return false;
  const fs::path checkpoint = checkpoint_directory() / restored_from(), path = checkpoint / state.name();
  std::ifstream in = at_second_try([&] {
    const protocol::CheckpointFolder folder(checkpoint, process().environment.memory_path);
    std::ifstream file(folder.file(state.name()).path, std::ios::binary);
    if (!file) throw Error(ErrorKind::io, "cannot read " + path.string());
    return file;
  });
  try {
    state.load(in);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::corrupt) throw;
    refuse(path, e.what());
  } catch (const std::exception& e) {
    refuse(path, "it holds no state \"" + state.name() + "\" as this program writes it: " + e.what());
  }
  return true;
}

}  // namespace batchscope::checkpoint
