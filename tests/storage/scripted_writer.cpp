// SPDX-License-Identifier: Apache-2.0
//
// scripted_writer FILE SEED GENERATION ascending|any COMMITS: writes the script, for so many commits, of
// which closing makes the last, or for ever (0). Reports to standard output, of each round, the fate of its
// appends before the commit ('t' taken, 'r' refused) and the commit after it ('c'). Made to be killed.
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "script.h"

using namespace batchscope::storage;

namespace {

void report(const std::string& text) {
  if (::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::exit(1);
}

}  // namespace

int main(int, char** argv) {
  std::optional<SampleWriter> writer(argv[1]);
  const auto steps = std::string_view(argv[4]) == "any" ? test::Steps::any : test::Steps::ascending;
  test::Script script(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]), steps);
  const long commits = std::atol(argv[5]);
  for (long commit = 1; writer; ++commit) {
    report(test::try_write(*writer, script.next()));
    if (commit == commits)
      writer.reset();
    else
      writer->commit();
    report("c");
  }
}
