// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-serve`, which `batchscope serve` and `batchscope export --format html` become.
#include "batchscope/common/translate.h"
#include "command_line/command_builder.h"
#include "command_line/command_line.h"
#include "command_line/help_text.h"
#include "serve/recording_command.h"
#include "serve/serve_command.h"
#include "serve/tokens_command.h"

namespace batchscope::cli {
namespace {

void addServe(CommandSet& set) {
  CLI::App* command =
      declare(set, "serve", tr(help::kServeAbout).toStdString(), help::kServe, serve)
          .option("--port N", &ServeOptions::port,
                  say("The port, reached from this machine alone; 0: any free one; default: 8471"),
                  range(0, 65535))
          .option("--socket FILE", &ServeOptions::socket, say("Listen at a Unix socket in place of a port"),
                  Values::files)
          .option("--metrics-port N", &ServeOptions::metricsPort,
                  say("Also answer /metrics for Prometheus at this port, without the token, for this machine "
                      "alone; 0: any free one"),
                  range(0, 65535))
          .flag("--read-only", &ServeOptions::readOnly, say("Let nobody change anything"))
          .flag("--open", &ServeOptions::open, say("Open the page in a browser"))
          .option("--store FILE", &ServeOptions::store, say("Show another store: the path of its runs.db"),
                  Values::files)
          .option(
              "--token NAME[:RIGHT]", &ServeOptions::tokens,
              say("Also print an address for this person, to look (read) or to control runs (control); may "
                  "be repeated"),
              Takes::repeated)
          .flag("--new-token", &ServeOptions::newToken, say("Make all addresses given out so far invalid"))
          .option("--listen ADDRESS", &ServeOptions::listen,
                  say("Serve other machines too, by TLS: 0.0.0.0, or one address of this machine"))
          .option("--certificate FILE", &ServeOptions::certificate,
                  say("The certificate for --listen, in PEM"), Values::files)
          .option("--key FILE", &ServeOptions::key, say("The certificate's key, in PEM"), Values::files)
          .option("--host-name NAME", &ServeOptions::hosts,
                  say("A name by which browsers reach this server; may be repeated"), Takes::repeated)
          .json(say("Print the address as one line of JSON, then serve"))
          .app();
  for (const char* needs : {"--certificate", "--key"})
    command->get_option("--listen")->needs(command->get_option(needs));
  for (const char* other : {"--port", "--listen"})
    command->get_option("--socket")->excludes(command->get_option(other));
  set.beginGroup(say("Commands"));
  declare(set, "serve tokens", tr(help::kServeTokensAbout).toStdString(), help::kServeTokens, tokens)
      .option("--add NAME[:RIGHT]", &TokensOptions::add,
              say("Make a token to look (read, the default) or to control runs (control); may be repeated"),
              Takes::repeated)
      .option("--revoke NAME", &TokensOptions::revoke, say("Refuse this token from now on; may be repeated"),
              Takes::repeated)
      .option("--store FILE", &TokensOptions::store, say("Use another store: the path of its runs.db"),
              Values::files)
      .json();
  declare(set, "serve link", tr(help::kServeLinkAbout).toStdString(), help::kServeLink, link)
      .run()
      .option("--hours N", &LinkOptions::hours, say("How many hours the link shows the run; default: 24"),
              range(1, 8760))
      .option("--store FILE", &LinkOptions::store, say("Use another store: the path of its runs.db"),
              Values::files)
      .json();
}

// Called by `batchscope export --format html`, which has the help.
void addRecording(CommandSet& set) {
  declare(set, "export", say("Write a run's page to a file"), help::kExport, exportRecording)
      .run()
      .option("-o,--output FILE", &RecordingOptions::output, say("Write to this file; -: standard output"),
              Values::files)
      .flag("--force", &RecordingOptions::force, say("Overwrite what is there"))
      .json()
      .app()
      ->group("");
}

}  // namespace
}  // namespace batchscope::cli

int main(int argc, char** argv) {
  return batchscope::cli::runCommandLine(argc, argv,
                                         {batchscope::cli::addServe, batchscope::cli::addRecording});
}
