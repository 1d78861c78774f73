// SPDX-License-Identifier: Apache-2.0
//
// scripted_writer FILE SEED GENERATION: writes the script for ever, one byte to standard output after
// each commit. Made to be killed.
#include <unistd.h>

#include <cstdlib>

#include "script.h"

int main(int, char** argv) {
  using namespace batchscope::storage;
  SampleWriter writer(argv[1]);
  test::Script script(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]));
  for (;;) {
    test::write(writer, script.next());
    writer.commit();
    if (::write(STDOUT_FILENO, ".", 1) != 1) return 1;
  }
}
