// SPDX-License-Identifier: Apache-2.0
#include "access/access.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <initializer_list>
#include <utility>

#include "answer.h"
#include "batchscope/common/language.h"
#include "batchscope/common/say.h"

namespace batchscope::web {
namespace {

using common::say;
using http::Fault, http::Request;

constexpr char kTokenField[] = "token";
constexpr std::string_view kBearer = "Bearer ";
constexpr int kCookieDays = 30;

std::string missing_text() {
  return say("open the address that `batchscope serve` has printed: it holds the token");
}

std::string revoked_text() {
  return say(
      "this token no longer counts here: it was revoked or replaced, or its link has ended. Ask the owner "
      "for a new one, or open the address that `batchscope serve` has printed");
}

// Without style or script, of which nothing is sent to strangers either.
std::string entrance_page(const std::string& title, const std::string& heading,
                          std::initializer_list<std::string> paragraphs) {
  std::string html = "<!doctype html>\n<html lang=\"" +
                     common::chosenLanguage().toHtmlEscaped().toStdString() + R"(">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>BatchScope: )" +
                     title + "</title>\n<h1>" + heading + "</h1>\n";
  for (const std::string& paragraph : paragraphs) html += "<p>" + paragraph + "</p>\n";
  return html;
}

std::string missing_page() {
  return entrance_page(
      say("the token is missing"), say("The token is missing"),
      {say("BatchScope runs here. It shows its runs to people who have this server's token."),
       say("Open the address that <code>batchscope serve</code> printed when it started. It ends in "
           "<code>/?token=</code> and the token. The browser then remembers the token for {} days.",
           kCookieDays),
       say("If you do not have that address: on the machine that the server runs on, the token is in the "
           "file <code>serve.token</code> in BatchScope's data folder, which is "
           "<code>~/.local/share/batchscope</code> unless <code>XDG_DATA_HOME</code> names another one. "
           "Write <code>/?token=</code> and the token behind this address."),
       say("If your address worked before, your token was revoked or replaced. Ask for a new one.")});
}

std::string revoked_page() {
  return entrance_page(
      say("the token no longer counts"), say("The token no longer counts"),
      {say("Your browser has shown a token that this server does not know. The token was revoked or "
           "replaced, or it was of a link, whose day is over."),
       say("Ask the person who runs this server for a new one: "
           "<code>batchscope serve tokens --add NAME</code> makes a token, and Share on a run's page makes "
           "a link."),
       say("If the server is yours, open the address that <code>batchscope serve</code> printed when it "
           "started. <code>batchscope serve tokens</code> lists the tokens that count.")});
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// "localhost" of "localhost:8471", "[::1]" of "[::1]:8471"; and the port, which may be missing.
std::pair<std::string, std::string> host_and_port(std::string_view host) {
  const std::size_t colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  if (colon == std::string_view::npos) return {lower(host), ""};
  return {lower(host.substr(0, colon)), std::string(host.substr(colon + 1))};
}

// Cookies of all ports of a host are sent to each of them: by its name a page finds its own.
std::string cookie_name(const Request& head) {
  const std::string port = host_and_port(head.field("host")).second;
  return "batchscope-session" + (port.empty() ? "" : "-" + port);
}

bool is_number(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

// The cookie of this name; empty where there is none.
std::string_view cookie(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view item = cookies.substr(0, end);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    if (item.starts_with(name) && item.substr(name.size()).starts_with('='))
      return item.substr(name.size() + 1);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
  }
  return {};
}

bool reads(const Request& head) { return head.method == "GET" || head.method == "HEAD"; }

// Whether it is data that is asked for, and not a file of the page, which other sites may have links to.
bool asks_for_data(const Request& head) {
  return !head.path.empty() && (head.path.front() == "api" || head.path.front() == "metrics");
}

// Whether a person may be shown a page in place of an error.
bool shows_pages(const Request& head) { return reads(head) && !asks_for_data(head) && is_for_person(head); }

// Whether there is any token, right or wrong: who shows none is told where the first one is.
bool shows_token(const Request& head) {
  return head.field("authorization").starts_with(kBearer) ||
         !cookie(head.field("cookie"), cookie_name(head)).empty() ||
         (head.method == "GET" && head.value(kTokenField));
}

void check_site(const Request& head) {
  const std::string_view site = head.field("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none")
    throw Fault{403, "a page of another site may not read this"};
}

bool is_json(std::string_view type) { return lower(type.substr(0, type.find(';'))) == "application/json"; }

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  std::size_t difference = a.size() ^ b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ (b.empty() ? '\0' : b[i % b.size()]));
  return difference == 0;
}

Access::Access(std::string token, const std::vector<std::string>& hosts, bool read_only, bool tls,
               Tokens named)
    : token_(std::move(token)),
      hosts_{"localhost", "127.0.0.1", "[::1]"},
      read_only_(read_only),
      tls_(tls),
      named_(std::move(named)) {
  for (const std::string& host : hosts)
    hosts_.insert(host.find(':') != std::string::npos && !host.starts_with('[') ? "[" + lower(host) + "]"
                                                                                : lower(host));
}

Caller Access::check(const Request& head) const {
  if (!reads(head) && head.method != "POST")
    throw Fault{405, head.method + " is not a method of this server: use GET, HEAD or POST"};
  check_host(head);
  const auto found = caller(head);
  if (!found) {
    const bool is_revoked = shows_token(head);
    throw Fault{401, is_revoked ? revoked_text() : missing_text(),
                !shows_pages(head) ? std::string()
                : is_revoked       ? revoked_page()
                                   : missing_page()};
  }
  if (!reads(head) || asks_for_data(head)) check_site(head);
  if (!reads(head)) check_change(head, *found);
  if (!found->run.empty() && asks_for_data(head)) check_link(head, *found);
  return *found;
}

void Access::check_open(const Request& head) const {
  if (!reads(head)) throw Fault{405, "use GET for this address"};
  check_host(head);
  check_site(head);
}

void Access::check_host(const Request& head) const {
  const auto [host, port] = host_and_port(head.field("host"));
  if (!hosts_.contains(host) || !is_number(port))
    throw Fault{421,
                say("this server does not answer to that name: use localhost or 127.0.0.1, or start it with "
                    "--host-name")};
}

void Access::check_change(const Request& head, const Caller& caller) const {
  if (read_only_)
    throw Fault{403, say("this server was started with --read-only: it shows runs and changes nothing")};
  if (caller.right == Right::read)
    throw Fault{403, say("the token {} has the right 'read' only: ask the owner for one with 'control'",
                         caller.name)};
  const std::string origin = lower(head.field("origin")), host = lower(head.field("host"));
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host)
    throw Fault{403, "a page of another site may not change anything here"};
  if (!is_json(head.field("content-type"))) throw Fault{415, "send Content-Type: application/json"};
}

// Who has a link sees what /api/runs/ID and what is below it say, and nothing of other runs.
void Access::check_link(const Request& head, const Caller& caller) const {
  const std::vector<std::string>& path = head.path;
  const bool is_about = path == std::vector<std::string>{"api", "about"};
  const bool is_its_run = path.size() >= 3 && path[0] == "api" && path[1] == "runs" && path[2] == caller.run;
  if (!is_about && !is_its_run) throw Fault{403, say("this link shows run {} and nothing else", caller.run)};
}

// All tokens are compared: the time tells nothing of which it was.
std::optional<Caller> Access::whose(std::string_view secret) const {
  std::optional<Caller> found;
  if (same_secret(token_, secret)) found = Caller{"", Right::control, token_};
  if (!named_) return found;
  const std::int64_t now = std::time(nullptr);
  for (const NamedToken& token : named_())
    if (same_secret(token.secret, secret) && (token.until == 0 || now < token.until))
      found = Caller{token.name, token.right, token.secret, token.run};
  return found;
}

// A token in the address counts before the cookie of an older one.
std::optional<Caller> Access::caller(const Request& head) const {
  const std::string_view authorization = head.field("authorization");
  if (authorization.starts_with(kBearer))
    if (auto found = whose(authorization.substr(kBearer.size()))) return found;
  if (const auto value = head.method == "GET" ? head.value(kTokenField) : std::nullopt)
    if (auto found = whose(*value)) return found;
  return whose(cookie(head.field("cookie"), cookie_name(head)));
}

std::optional<http::Response> Access::entrance(const Request& request, const Caller& caller) const {
  if (request.method != "GET" || !request.value(kTokenField)) return std::nullopt;
  const std::string_view target = request.target;
  const std::size_t mark = target.find('?');
  std::string address(target.substr(0, mark));
  char separator = '?';
  for (std::string_view rest = target.substr(mark + 1); !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    if (item.empty() || item.substr(0, item.find('=')) == kTokenField) continue;
    address += std::exchange(separator, '&');
    address += item;
  }
  http::Response response{303, "", "text/plain"};
  response.fields = {
      {"Location", address},
      {"Cache-Control", "no-store"},
      {"Set-Cookie", cookie_name(request) + "=" + caller.secret + "; Path=/; HttpOnly; SameSite=Lax; " +
                         (tls_ ? "Secure; " : "") + "Max-Age=" + std::to_string(kCookieDays * 24 * 3600)}};
  return response;
}

}  // namespace batchscope::web
