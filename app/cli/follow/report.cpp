// SPDX-License-Identifier: Apache-2.0
#include "follow/report.h"

#include <algorithm>
#include <tuple>

#include "batchscope/common/run_json.h"
#include "files/output_file.h"

namespace batchscope::cli {

using protocol::Json;

namespace {

constexpr int kReportVersion = 1;

using Stretch = std::pair<std::int64_t, std::int64_t>;

// Positions in ascending stretches that some stretch before has used already.
std::int64_t repeatedIn(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end());
  std::int64_t repeated = 0, end = 0;
  for (const auto& [from, to] : stretches) {
    repeated += std::max<std::int64_t>(0, std::min(end, to) - from);
    end = std::max(end, to);
  }
  return repeated;
}

struct PassTotal {
  std::vector<Stretch> stretches;
  std::int64_t samples = 0;
  std::int64_t padding = 0;
  std::int64_t datasetSize = 0;
};

}  // namespace

Facts gatherFacts(storage::Catalogue& catalogue, const storage::Run& run) {
  Facts facts{protocol::run_state_name(run.state), run.latest};
  facts.numbers["generations"] = static_cast<double>(catalogue.generations(run.id).size());
  facts.numbers["epochs"] = run.epoch;
  facts.numbers["replicas"] = run.replicas;
  facts.numbers["step"] = static_cast<double>(run.step);
  return facts;
}

Json verdictsJson(const std::vector<Verdict>& verdicts) {
  Json list = Json::array();
  for (const Verdict& verdict : verdicts)
    list.push_back(
        {{"expected", verdict.expectation.text()}, {"seen", verdict.seen}, {"passed", verdict.passed}});
  return list;
}

Json ledgerTotals(const std::vector<storage::Ledger>& ledger) {
  std::map<std::tuple<std::string, int, int>, PassTotal> passes;
  for (const storage::Ledger& row : ledger) {
    const protocol::LedgerEntry& entry = row.entry;
    PassTotal& total = passes[{entry.loader, entry.epoch, entry.pass}];
    total.stretches.emplace_back(entry.from, entry.to);
    total.samples += entry.to - entry.from;
    total.padding += entry.padding;
    total.datasetSize = entry.dataset_size;
  }
  Json list = Json::array();
  for (const auto& [key, total] : passes)
    list.push_back({{"loader", std::get<0>(key)},
                    {"epoch", std::get<1>(key)},
                    {"pass", std::get<2>(key)},
                    {"samples", total.samples},
                    {"repeated", repeatedIn(total.stretches)},
                    {"padding", total.padding},
                    {"dataset_size", total.datasetSize}});
  return list;
}

Json makeReport(storage::Catalogue& catalogue, const storage::Run& run, const std::vector<Verdict>& verdicts,
                int exitCode) {
  Json report = common::runDetailsJson(catalogue, run);
  report["version"] = kReportVersion;
  report["exit_code"] = exitCode;
  report["duration"] = (run.ended > 0 ? run.ended : storage::now()) - run.created;
  report["final"] = storage::values_json(run.latest);
  report["expectations"] = verdictsJson(verdicts);
  report["ledger"] = ledgerTotals(catalogue.ledger(run.id));
  return report;
}

void writeReport(const OutputTarget& target, const Json& report) {
  OutputFile file(target);
  file.write(report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  file.finish();
}

}  // namespace batchscope::cli
