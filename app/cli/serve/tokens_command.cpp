// SPDX-License-Identifier: Apache-2.0
#include "serve/tokens_command.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "batchscope/web/tokens.h"
#include "records/store.h"
#include "serve/serve_command.h"
#include "terminal/json_output.h"
#include "text/format.h"
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
  // The secret is told to who asks for the token, and never again in a list that others may look at.
  const auto isGiven = [&](const web::NamedToken& token) { return std::ranges::count(given, token) > 0; };
  if (options.json) {
    protocol::Json list = protocol::Json::array();
    for (const web::NamedToken& token : all) {
      list.push_back({{"name", token.name}, {"right", web::right_name(token.right)}, {"made", token.made}});
      if (isGiven(token)) list.back()["token"] = token.secret;
    }
    printJson({{"tokens", list}});
    return kExitOk;
  }
  for (const std::string& name : options.revoke) fmt::print("{} is revoked\n", name);
  for (const web::NamedToken& token : given)
    fmt::print("{} ({}): append this to the server's address: /?token={}\n", token.name,
               web::right_name(token.right), token.secret);
  if (!options.revoke.empty() || !given.empty()) return kExitOk;
  if (all.empty()) {
    fmt::print("There are no named tokens. Make one with: batchscope serve tokens --add NAME\n");
    return kExitOk;
  }
  Table table({{"NAME"}, {"RIGHT"}, {"MADE"}});
  for (const web::NamedToken& token : all)
    table.addRow({token.name, web::right_name(token.right), formatTime(static_cast<double>(token.made))});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
  return kExitOk;
}

}  // namespace batchscope::cli
