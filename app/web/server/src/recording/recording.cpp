// SPDX-License-Identifier: Apache-2.0
//
// The file is the page's own: index.html with its script, style and icon within it. What the server would
// answer stands in a block that browsers do not carry out, compressed and in letters and digits, so that no
// text of a run can end the block. The content security policy lets this script and this style in, by their
// hashes, and no network.
#include "batchscope/web/recording.h"

#include <fmt/core.h>

#include <QCryptographicHash>
#include <fstream>
#include <iterator>
#include <string_view>

#include "batchscope/protocol/error.h"
#include "files/page_files.h"
#include "recording/recorded_answers.h"

namespace batchscope::web {
namespace {

namespace fs = std::filesystem;

constexpr qsizetype kSize = 4;  // bytes, in front of what qCompress makes
constexpr int kSmallest = 9;    // of zlib's levels

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (content.empty()) throw Error(ErrorKind::not_found, kNoPage);
  return content;
}

std::string base64(const QByteArray& bytes) { return bytes.toBase64().toStdString(); }

std::string hash_of(const std::string& text) {
  const auto bytes = QByteArray::fromRawData(text.data(), static_cast<qsizetype>(text.size()));
  return "'sha256-" + base64(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256)) + "'";
}

// Puts the text in the place of the first of these tags.
void replace(std::string& html, std::string_view tag, const std::string& text) {
  const std::size_t at = html.find(tag);
  if (at == std::string::npos)
    throw Error(
        ErrorKind::version,
        fmt::format("the page is of another version, its index.html has no {}: `./dev build` makes it", tag));
  html.replace(at, tag.size(), text);
}

// The answers as a stream of zlib's, in base64.
std::string packed(const protocol::Json& answers) {
  const std::string text = answers.dump(-1, ' ', false, protocol::Json::error_handler_t::replace);
  const QByteArray sized =
      qCompress(reinterpret_cast<const uchar*>(text.data()), static_cast<qsizetype>(text.size()), kSmallest);
  return base64(sized.mid(kSize));
}

}  // namespace

std::string recording_of(const std::string& run, const fs::path& page) {
  std::string html = in_chosen_language(content_of(page / "index.html"));
  const std::string script = content_of(page / "page.js"), style = content_of(page / "page.css"),
                    icon = content_of(page / "icon.svg");
  Store store;
  const std::string answers = packed(recorded_answers(store, run));
  // The script comes last: whatever stands in it, no tag is looked for behind it.
  replace(html, "<body>",
          "<body>\n<script id=\"recording\" type=\"application/zlib\">" + answers + "</script>");
  replace(
      html, "<meta charset=\"utf-8\">",
      fmt::format("<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
                  "style-src {}; img-src data:; base-uri 'none'; form-action 'none'\">",
                  hash_of(script), hash_of(style)));
  replace(html, "/icon.svg", "data:image/svg+xml;base64," + base64(QByteArray::fromStdString(icon)));
  replace(html, "<link rel=\"stylesheet\" href=\"/page.css\">", "<style>" + style + "</style>");
  replace(html, "<script type=\"module\" src=\"/page.js\"></script>",
          "<script type=\"module\">" + script + "</script>");
  return html;
}

}  // namespace batchscope::web
