// SPDX-License-Identifier: Apache-2.0
#include "data/sample_log.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/replica/process_group.h"
#include "process/process.h"
#include "process/session.h"

namespace batchscope::replica {
namespace {

struct File {
  std::ofstream out{
      std::filesystem::path(process().environment.sample_log) /
          ("samples-g" + std::to_string(num_restarts()) + "-r" + std::to_string(replica_rank()) + ".jsonl"),
      std::ios::app};
};

std::ofstream& file() { return session().part<File>().out; }

}  // namespace

bool SampleLog::wanted() { return !process().environment.sample_log.empty(); }

void SampleLog::add(int epoch, std::int64_t pass, std::vector<std::int64_t> ids) {
  waiting_.push_back({epoch, pass, std::move(ids)});
}

void SampleLog::write(std::int64_t step) {
  for (const Line& line : std::exchange(waiting_, {}))
    file() << protocol::Json{{"loader", loader_},
                             {"epoch", line.epoch},
                             {"pass", line.pass},
                             {"step", step},
                             {"ids", line.ids}}
                  .dump()
           << '\n';
  if (wanted() && !file().flush())
    throw Error(ErrorKind::io, "cannot write the sample log in " + process().environment.sample_log);
}

}  // namespace batchscope::replica
