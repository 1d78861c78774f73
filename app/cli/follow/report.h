// SPDX-License-Identifier: Apache-2.0
//
// The report of `batchscope run --report FILE`, for machines: what ran, how it ended, and which expectations
// held. REPORT.md documents its form.
#pragma once

#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"
#include "files/output_target.h"
#include "follow/expectation.h"

namespace batchscope::cli {

// Gathers the facts that expectations may name.
Facts gatherFacts(storage::Catalogue& catalogue, const storage::Run& run);

protocol::Json makeReport(storage::Catalogue& catalogue, const storage::Run& run,
                          const std::vector<Verdict>& verdicts, int exitCode);

protocol::Json verdictsJson(const std::vector<Verdict>& verdicts);

// Returns for each loader, epoch and pass of the ledger: samples used, how many of them more than once (after
// a crash went back to the last checkpoint), padding, and the dataset's size.
protocol::Json ledgerTotals(const std::vector<storage::Ledger>& ledger);

// Throws as OutputFile does.
void writeReport(const OutputTarget& target, const protocol::Json& report);

}  // namespace batchscope::cli
