// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope`.
#include <cstdlib>
#include <memory>

#include "batchscope/run/application.h"
#include "command_line/command_line.h"
#include "terminal/standard_output.h"
#include "terminal/terminal.h"

namespace {

// Qt complains on standard error about every locale that is not UTF-8 and replaces it. We have asked the
// locale what we wanted to know before; the variable is put back for the programs that we start.
class Utf8ForQt {
 public:
  Utf8ForQt() {
    if (const char* value = std::getenv("LC_ALL")) before_ = value;
    qputenv("LC_ALL", "C.UTF-8");
  }
  ~Utf8ForQt() { before_.isNull() ? qunsetenv("LC_ALL") : qputenv("LC_ALL", before_); }

 private:
  QByteArray before_;
};

}  // namespace

int main(int argc, char** argv) {
  batchscope::cli::keepStandardStreams();
  batchscope::cli::readLocale();
  const auto application = [&] {
    const Utf8ForQt locale;
    return std::make_unique<batchscope::run::Application>(argc, argv);
  }();
  return batchscope::cli::runCommandLine(argc, argv);
}
