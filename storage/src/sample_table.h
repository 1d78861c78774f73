// SPDX-License-Identifier: Apache-2.0
//
// The samples of some runs as a table of SQL, which is none in any file: an eponymous virtual table
// (https://sqlite.org/vtab.html) that reads them by SampleReader, page by page.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <string>

namespace batchscope::storage {

using SampleFiles = std::map<std::string, std::filesystem::path>;  // by run id

// Makes the table `sample` known to the connection, which `files` must outlive.
void add_sample_table(sqlite3* connection, const SampleFiles& files);

}  // namespace batchscope::storage
