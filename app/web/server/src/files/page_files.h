// SPDX-License-Identifier: Apache-2.0
//
// The files of the page, read once: no path leads to any other file.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"

namespace batchscope::web {

// Advice where there is no page.
extern const char kNoPage[];

// Returns index.html in the language of this process: with that language, and with its words for the page in
// a block of data. As it is where the language is English or has no words for the page.
std::string in_chosen_language(std::string index);

class PageFiles {
 public:
  // Reads the files of a folder, without its subfolders.
  explicit PageFiles(const std::filesystem::path& folder);

  // A file by its name; for every address that the page has a view of, index.html. Anything else is 404,
  // with index.html for a browser and as http::Fault for others.
  http::Response answer(const http::Request& request) const;

 private:
  struct File {
    std::string content, type, tag;
  };
  static http::Response answer(const File& file, const http::Request& request);

  std::map<std::string, File, std::less<>> files_;
};

}  // namespace batchscope::web
