// SPDX-License-Identifier: Apache-2.0
#include "files/page_files.h"

#include <QCryptographicHash>
#include <QFile>
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "answer.h"
#include "batchscope/common/language.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/json.h"

namespace batchscope::web {
namespace {

namespace fs = std::filesystem;

constexpr char kIndex[] = "index.html";
constexpr std::array<std::string_view, 7> kViews{"",       "run",   "compare", "queue",
                                                 "sweeps", "trash", "lessons"};  // of an address

std::string type_of(const fs::path& file) {
  static const std::map<std::string, std::string> kTypes{{".html", "text/html; charset=utf-8"},
                                                         {".js", "text/javascript; charset=utf-8"},
                                                         {".css", "text/css; charset=utf-8"},
                                                         {".svg", "image/svg+xml"},
                                                         {".png", "image/png"},
                                                         {".woff2", "font/woff2"},
                                                         {".txt", "text/plain; charset=utf-8"},
                                                         {".webmanifest", "application/manifest+json"}};
  const auto found = kTypes.find(file.extension());
  return found == kTypes.end() ? "application/octet-stream" : found->second;
}

std::string tag_of(const std::string& content) {
  const QByteArray hash = QCryptographicHash::hash(
      QByteArray::fromRawData(content.data(), static_cast<qsizetype>(content.size())),
      QCryptographicHash::Sha256);
  return '"' + hash.toHex().left(16).toStdString() + '"';
}

constexpr qint64 kMostWords = 4 << 20;  // bytes, of a language

// Puts the text in the place of a part of the page, which a page of another version may lack.
void replace_first(std::string& html, std::string_view part, const std::string& text) {
  if (const std::size_t at = html.find(part); at != std::string::npos) html.replace(at, part.size(), text);
}

// The words as JSON in which nothing ends the block around them; empty where there are none.
std::string words_of_page() {
  QFile file(common::chosenWords());
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMostWords) return {};
  const auto words = protocol::Json::parse(file.readAll().toStdString(), nullptr, false);
  if (!words.is_object()) return {};
  QByteArray text = QByteArray::fromStdString(words.dump());
  return text.replace('<', "\\u003c").toStdString();
}

}  // namespace

std::string in_chosen_language(std::string index) {
  if (common::chosenWords().isEmpty()) return index;
  const std::string words = words_of_page();
  if (words.empty()) return index;
  static const char kNoScript[] = QT_TR_NOOP(
      "This page needs JavaScript. Without it, use <code>batchscope show latest</code> in a terminal.");
  replace_first(index, kNoScript, tr(kNoScript).toStdString());
  replace_first(index, "lang=\"en\"",
                "lang=\"" + common::chosenLanguage().toHtmlEscaped().toStdString() + '"');
  replace_first(index, "<body>",
                "<body>\n<script id=\"words\" type=\"application/json\">" + words + "</script>");
  return index;
}

const char kNoPage[] =
    "the page was not built: `./dev build` makes it, with Debian's nodejs, npm and esbuild";

PageFiles::PageFiles(const fs::path& folder) {
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault)) {
    if (!entry.is_regular_file(fault)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    File file{{std::istreambuf_iterator<char>(in), {}}, type_of(entry.path()), {}};
    if (entry.path().filename() == kIndex) file.content = in_chosen_language(std::move(file.content));
    file.tag = tag_of(file.content);
    files_[entry.path().filename()] = std::move(file);
  }
}

http::Response PageFiles::answer(const http::Request& request) const {
  if (request.path.size() == 1)
    if (const auto found = files_.find(request.path.front()); found != files_.end())
      return answer(found->second, request);
  const bool is_view = std::find(kViews.begin(), kViews.end(), request.path.front()) != kViews.end();
  if (!is_view && !is_for_person(request)) throw http::Fault{404, "there is nothing at this address"};
  const auto index = files_.find(kIndex);
  if (index == files_.end()) throw http::Fault{404, std::string(kNoPage) + "; the API answers without it"};
  if (is_view) return answer(index->second, request);
  return {404, index->second.content, index->second.type};  // the page says it, and leads on from there
}

http::Response PageFiles::answer(const File& file, const http::Request& request) {
  const bool is_known = request.field("if-none-match") == file.tag;
  http::Response response{is_known ? 304 : 200, is_known ? "" : file.content, file.type};
  response.fields = {{"ETag", file.tag}, {"Cache-Control", "no-cache"}};
  return response;
}

}  // namespace batchscope::web
