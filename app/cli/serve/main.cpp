// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-serve`, which `batchscope serve` becomes.
#include "command_line/command_builder.h"
#include "command_line/command_line.h"
#include "command_line/help_text.h"
#include "serve/serve_command.h"

namespace batchscope::cli {
namespace {

void addServe(CommandSet& set) {
  CLI::App* command =
      declare(set, "serve", help::kServeAbout, help::kServe, serve)
          .option("--port N", &ServeOptions::port,
                  "Its port, for this machine alone; 0: any free one; default: 8471", range(0, 65535))
          .option("--socket FILE", &ServeOptions::socket, "A Unix socket in place of a port", Values::files)
          .option(
              "--metrics-port N", &ServeOptions::metricsPort,
              "Answer /metrics for Prometheus there too, without the token, for this machine alone; 0: any "
              "free port",
              range(0, 65535))
          .flag("--read-only", &ServeOptions::readOnly, "Nothing can be changed")
          .flag("--open", &ServeOptions::open, "Open it in a browser")
          .option("--store FILE", &ServeOptions::store, "Another store: its runs.db", Values::files)
          .flag("--new-token", &ServeOptions::newToken, "Make all addresses given out so far invalid")
          .option("--listen ADDRESS", &ServeOptions::listen,
                  "For other machines too, by TLS: 0.0.0.0, or one address of this machine")
          .option("--certificate FILE", &ServeOptions::certificate, "For --listen, in PEM", Values::files)
          .option("--key FILE", &ServeOptions::key, "For --listen, in PEM", Values::files)
          .option("--host-name NAME", &ServeOptions::hosts,
                  "A name by which browsers reach it; may be repeated", Takes::repeated)
          .json("Answer in JSON: one line, before it serves")
          .app();
  for (const char* needs : {"--certificate", "--key"})
    command->get_option("--listen")->needs(command->get_option(needs));
  for (const char* other : {"--port", "--listen"})
    command->get_option("--socket")->excludes(command->get_option(other));
}

}  // namespace
}  // namespace batchscope::cli

int main(int argc, char** argv) {
  return batchscope::cli::runCommandLine(argc, argv, {batchscope::cli::addServe});
}
