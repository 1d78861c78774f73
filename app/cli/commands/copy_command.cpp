// SPDX-License-Identifier: Apache-2.0
//
// cp: copies a file or folder out of a run's folder: what its program shared, its event files, checkpoints,
// logs.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "commands/commands.h"
#include "files/output_file.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = 1 << 20;

// Returns a path that lies below the run's folder once every link is followed, whatever the path says.
fs::path inside(const fs::path& root, const std::string& path) {
  const fs::path found = fs::weakly_canonical(root / path), base = fs::weakly_canonical(root);
  const auto [end, ignored] = std::mismatch(base.begin(), base.end(), found.begin(), found.end());
  if (fs::path(path).is_absolute() || end != base.end())
    throw Error(ErrorKind::usage,
                say("{} lies outside the run's folder; paths are relative to {}", path, root.string()));
  if (!fs::exists(found)) throw Error(ErrorKind::not_found, say("there is no {} in {}", path, root.string()));
  return found;
}

// Writes into a target that takes bytes and is not a file, such as a pipe.
void pour(const fs::path& from, const OutputTarget& target) {
  if (fs::is_directory(from)) target.requirePlace(say("the folder {}", from.string()));
  std::ifstream in(from, std::ios::binary);
  OutputFile file(target);
  std::vector<char> block(kBlockBytes);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
    file.write({block.data(), static_cast<std::size_t>(in.gcount())});
  if (in.bad() || !in.eof()) throw Error(ErrorKind::io, say("cannot read {}", from.string()));
  file.finish();
}

// Links are copied as links: what they point to does not belong to the run.
void copy(const fs::path& from, const OutputTarget& target, bool force) {
  target.refuseExisting(force);
  if (target.kind() != OutputTarget::Kind::file) return pour(from, target);
  fs::copy(
      from, target.path(),
      fs::copy_options::recursive | fs::copy_options::copy_symlinks | fs::copy_options::overwrite_existing);
}

}  // namespace

int copyFromRun(const CopyOptions& options) {
  const auto colon = options.source.find(':');
  if (colon == std::string::npos)
    throw Error(ErrorKind::usage,
                say("\"{}\": write RUN:PATH, such as latest:share/model.pt", options.source));
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.source.substr(0, colon));
  try {
    const fs::path from = inside(protocol::run_paths(run.id).root, options.source.substr(colon + 1));
    fs::path to = options.destination;
    if (fs::is_directory(to)) to /= from.has_filename() ? from.filename() : from.parent_path().filename();
    const OutputTarget target(to.string());
    copy(from, target, options.force);
    if (target.kind() == OutputTarget::Kind::standardOutput) return kExitOk;
    answer(options.json, {{"run", run.id}, {"from", from.string()}, {"to", to.string()}},
           printable(to.string()));
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io, say("cannot copy {}: {}", options.source, error.what()));
  }
  return kExitOk;
}

}  // namespace batchscope::cli
