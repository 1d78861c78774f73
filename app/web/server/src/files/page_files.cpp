// SPDX-License-Identifier: Apache-2.0
#include "files/page_files.h"

#include <QCryptographicHash>
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

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

}  // namespace

const char kNoPage[] =
    "the page was not built: `./dev build` makes it, with Debian's nodejs, npm and esbuild";

PageFiles::PageFiles(const fs::path& folder) {
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault)) {
    if (!entry.is_regular_file(fault)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    File file{{std::istreambuf_iterator<char>(in), {}}, type_of(entry.path()), {}};
    file.tag = tag_of(file.content);
    files_[entry.path().filename()] = std::move(file);
  }
}

http::Response PageFiles::answer(const http::Request& request) const {
  if (request.path.size() == 1)
    if (const auto found = files_.find(request.path.front()); found != files_.end())
      return answer(found->second, request);
  if (std::find(kViews.begin(), kViews.end(), request.path.front()) == kViews.end())
    throw http::Fault{404, "there is nothing at this address"};
  const auto index = files_.find(kIndex);
  if (index == files_.end()) throw http::Fault{404, std::string(kNoPage) + "; the API answers without it"};
  return answer(index->second, request);
}

http::Response PageFiles::answer(const File& file, const http::Request& request) {
  const bool is_known = request.field("if-none-match") == file.tag;
  http::Response response{is_known ? 304 : 200, is_known ? "" : file.content, file.type};
  response.fields = {{"ETag", file.tag}, {"Cache-Control", "no-cache"}};
  return response;
}

}  // namespace batchscope::web
