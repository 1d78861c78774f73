// SPDX-License-Identifier: Apache-2.0
//
// The samples of some runs as a table of SQL, which is none in any file: an eponymous virtual table
// (https://sqlite.org/vtab.html).
#pragma once

#include <sqlite3.h>

#include <exception>
#include <string>

#include "table/sample_set.h"

namespace batchscope::storage {

class SampleTable {
 public:
  // Makes the table `sample` known to the connection, which must not outlive this.
  SampleTable(sqlite3* connection, const SampleFiles& files);
  SampleTable(const SampleTable&) = delete;
  SampleTable& operator=(const SampleTable&) = delete;

  // A statement begins: it sees what has been recorded meanwhile.
  void begin_statement();

  // Throws what the table failed with in this statement, where it did; SQLite knows but its text.
  void rethrow() const;

  std::int64_t rows_read() const { return set_.rows_read(); }
  std::int64_t samples_visited() const { return visited_; }

 private:
  friend struct SampleModule;

  SampleSet set_;
  std::exception_ptr failure_;
  std::int64_t visited_ = 0;
};

}  // namespace batchscope::storage
