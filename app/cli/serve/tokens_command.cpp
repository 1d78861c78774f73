// SPDX-License-Identifier: Apache-2.0
#include "serve/tokens_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "batchscope/common/run_control.h"
#include "batchscope/web/tokens.h"
#include "records/store.h"
#include "serve/serve_command.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {

int tokens(const TokensOptions& options) {
  useStore(options.store);
  openCatalogue();  // makes the store's folder where there is none
  for (const std::string& text : options.add) web::check_token_text(text);  // before anything changes
  for (const std::string& name : options.revoke) web::revoke_token(name);
  std::vector<web::NamedToken> given;
  for (const std::string& text : options.add) given.push_back(web::give_token(text));
  const std::vector<web::NamedToken> all = web::named_tokens();
  // The secret is printed once, for the person who adds the token, and never in a list.
  const auto isGiven = [&](const web::NamedToken& token) { return std::ranges::count(given, token) > 0; };
  if (options.json) {
    protocol::Json list = protocol::Json::array();
    for (const web::NamedToken& token : all) {
      list.push_back({{"name", token.name}, {"right", web::right_name(token.right)}, {"made", token.made}});
      if (!token.run.empty()) list.back()["run"] = token.run;
      if (token.until > 0) list.back()["until"] = token.until;
      if (isGiven(token)) list.back()["token"] = token.secret;
    }
    printJson({{"tokens", list}});
    return kExitOk;
  }
  for (const std::string& name : options.revoke) fmt::print("{}\n", say("{} is revoked", name));
  for (const web::NamedToken& token : given)
    fmt::print("{}\n", say("{} ({}): append this to the server's address: /?token={}", token.name,
                           web::right_name(token.right), token.secret));
  if (!options.revoke.empty() || !given.empty()) return kExitOk;
  if (all.empty()) {
    fmt::print("{}\n", say("There are no named tokens. Make one with: batchscope serve tokens --add NAME"));
    return kExitOk;
  }
  Table table({{say("NAME")}, {say("RIGHT")}, {say("RUN")}, {say("MADE")}, {say("UNTIL")}});
  for (const web::NamedToken& token : all)
    table.addRow({token.name, web::right_name(token.right), token.run.empty() ? say("all") : token.run,
                  formatTime(static_cast<double>(token.made)),
                  token.until > 0 ? formatTime(static_cast<double>(token.until)) : say("revoked")});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
  return kExitOk;
}

int link(const LinkOptions& options) {
  useStore(options.store);
  auto catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  const web::NamedToken made = web::give_link(run.id, std::int64_t(3600) * options.hours);
  if (options.json) {
    printJson({{"name", made.name}, {"run", run.id}, {"path", web::link_path(made)}, {"until", made.until}});
    return kExitOk;
  }
  fmt::print("{}\n", say("Whoever has this link sees {} and no other run, until {}.\n"
                         "Append it to the server's address: {}\n"
                         "To end it sooner: batchscope serve tokens --revoke {}",
                         common::title(run), formatTime(static_cast<double>(made.until)),
                         web::link_path(made), made.name));
  return kExitOk;
}

}  // namespace batchscope::cli
