// SPDX-License-Identifier: Apache-2.0
#include "records/run_record_json.h"

#include "batchscope/common/run_control.h"

namespace batchscope::cli {

storage::RunRecord recordFrom(const protocol::Json& json) {
  storage::RunRecord record = storage::record_from(json);
  storage::Run& run = record.run;
  run.removed = 0;  // nobody put it into this store's trash
  if (!run.spec.program.starts_with(common::kImportedProgram))
    run.spec.program = common::kImportedProgram + run.spec.program;
  run.spec.environment.clear();
  if (run.state != protocol::RunState::finished && run.state != protocol::RunState::failed)
    run.state = protocol::RunState::stopped;
  return record;
}

}  // namespace batchscope::cli
