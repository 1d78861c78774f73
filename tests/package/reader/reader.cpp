// SPDX-License-Identifier: Apache-2.0
//
// A program of somebody who has only what was installed: it makes a run in the store and finds it again.
#include <batchscope/storage.h>

#include <cstdio>

namespace storage = batchscope::storage;

int main(int, char** argv) {
  const std::filesystem::path folder = argv[1];
  storage::Catalogue catalogue(folder / "runs.db");
  batchscope::protocol::RunSpec spec;
  spec.name = "theirs";
  const std::string id = catalogue.create_run(spec);
  const auto file = folder / "runs" / id / "samples.db";
  storage::SampleWriter(file).append(0, "loss", 1, 0.5);
  const bool found =
      storage::RunFilter::parse("name=theirs").matches(catalogue.resolve("latest"), storage::now());
  const double value = storage::SampleReader(file).read("loss", 0).at(0).value;
  std::printf("%s %g\n", found ? "found" : "lost", value);
  return found && value == 0.5 ? 0 : 1;
}
