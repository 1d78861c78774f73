// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/branch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/paths.h"
#include "client/fork.h"

namespace batchscope::run {
namespace {

constexpr std::int64_t kLargestSize = 1'000'000'000'000;
constexpr char kLoaderState[] = "loader-";  // begins the names of the states of adaptive loaders

[[noreturn]] void refuse_sizes(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage,
              fmt::format("batch sizes '{}': {}; write two ends, such as 32..1024, or a list, such as "
                          "32,64,96",
                          text, why));
}

std::int64_t parse_size(const std::string& text, std::string_view word) {
  std::int64_t size = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (fault != std::errc() || end != word.data() + word.size() || size < 1 || size > kLargestSize)
    refuse_sizes(text, fmt::format("'{}' is not a number of samples", word));
  return size;
}

bool has_adaptive_loader(const protocol::Manifest& manifest) {
  return std::ranges::any_of(
      manifest.files, [](const protocol::StateFile& file) { return file.name.starts_with(kLoaderState); });
}

// Whole steps of the largest size, and so of all that divide it.
std::int64_t whole_steps(std::int64_t samples, std::int64_t largest) {
  return (samples + largest - 1) / largest * largest;
}

// Compares with what the run's loader told of its bounds. Where it told nothing, the branches find out.
void check_fit(const protocol::Model& model, const std::vector<std::int64_t>& sizes, int replicas) {
  for (const std::int64_t size : sizes) {
    const std::int64_t share = (size + replicas - 1) / replicas;
    if (model.max_local_batch_size > 0 && share > model.max_local_batch_size && !model.accumulation)
      throw Error(
          ErrorKind::usage,
          fmt::format("a branch of batch size {} does not fit: {} replica{} would take {} samples each, "
                      "the program's largest local batch size is {}, and it does not allow accumulation; "
                      "take smaller sizes, or more --replicas",
                      size, replicas, replicas == 1 ? "" : "s", share, model.max_local_batch_size));
    if (share < model.min_local_batch_size)
      throw Error(
          ErrorKind::usage,
          fmt::format("a branch of batch size {} does not fit: the program's smallest local batch size "
                      "is {}; take larger sizes, or fewer --replicas",
                      size, model.min_local_batch_size));
  }
}

// The first of "NAME branches", "NAME branches 2", .. that no run has.
std::string new_group(storage::Catalogue& catalogue, const std::string& name) {
  std::set<std::string> taken;
  for (const storage::Run& run : catalogue.runs()) taken.insert(run.spec.group);
  for (const storage::Run& run : catalogue.trash()) taken.insert(run.spec.group);
  const std::string first = name + " branches";
  std::string group = first;
  for (int number = 2; taken.contains(group); ++number) group = fmt::format("{} {}", first, number);
  return group;
}

}  // namespace

std::vector<std::int64_t> parse_batch_sizes(const std::string& text) {
  std::set<std::int64_t> sizes;
  if (const auto dots = text.find(".."); dots != std::string::npos) {
    const std::int64_t first = parse_size(text, std::string_view(text).substr(0, dots)),
                       last = parse_size(text, std::string_view(text).substr(dots + 2));
    if (first >= last) refuse_sizes(text, "the second end is to be larger than the first");
    sizes = {first, last};
    for (std::int64_t power = 1; power < last; power *= 2)
      if (power > first) sizes.insert(power);
  } else {
    for (const auto& word : std::views::split(text, ','))
      sizes.insert(parse_size(text, std::string_view(word.begin(), word.end())));
  }
  if (sizes.size() < 2) refuse_sizes(text, "one size cannot be compared with another");
  return {sizes.begin(), sizes.end()};
}

std::vector<protocol::RunSpec> branch_specs(storage::Catalogue& catalogue, const std::string& id,
                                            const BranchOptions& options) {
  const auto origin = catalogue.run(id);
  if (!origin) throw Error(ErrorKind::not_found, "there is no run " + id);
  storage::require_sound(*origin);
  refuse_followed(id);
  const std::int64_t largest = options.batch_sizes.back();
  if (options.samples < kLeastBranchSteps * largest)
    throw Error(
        ErrorKind::usage,
        fmt::format("{} samples are {} steps at batch size {}, too few to compare: --samples {} are the "
                    "fewest, four times as many tell more",
                    options.samples, options.samples / largest, largest, kLeastBranchSteps * largest));
  const auto checkpoint = find_checkpoint(id, options.checkpoint);
  const protocol::Manifest manifest = protocol::read_manifest(checkpoint, protocol::run_paths(id).memory);
  if (!has_adaptive_loader(manifest))
    throw Error(
        ErrorKind::conflict,
        fmt::format("{} of run {} holds no AdaptiveDataLoader, which sets the batch size of a branch: "
                    "the program has to loop over one (engine/train/PORTING.md)",
                    checkpoint.filename().string(), id));

  protocol::RunSpec spec = origin->spec;
  spec.replicas = options.replicas > 0 ? options.replicas : last_replicas(catalogue, *origin);
  spec.auto_replicas.reset();
  if (options.arguments) spec.arguments = *options.arguments;
  spec.triggers.clear();
  spec.restart_budget = std::min(spec.restart_budget, 1);  // a size that does not fit never will
  spec.group = new_group(catalogue, origin->name);
  if (const auto model = catalogue.model(id); model && !options.arguments)
    check_fit(*model, options.batch_sizes, spec.replicas);

  protocol::Branch branch{id, checkpoint.filename().string(),        manifest.step,  manifest.progress,
                          1,  whole_steps(options.samples, largest), options.metric, options.tolerance};
  std::vector<protocol::RunSpec> specs;
  for (const std::int64_t size : options.batch_sizes) {
    branch.batch_size = size;
    spec.name = fmt::format("{} at {}", origin->name, size);
    spec.environment[protocol::variable::kBranch] = branch.text();
    specs.push_back(spec);
  }
  return specs;
}

}  // namespace batchscope::run
