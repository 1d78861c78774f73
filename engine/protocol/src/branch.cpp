// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/branch.h"

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::protocol {

std::string Branch::text() const {
  return Json{{"run", run},
              {"checkpoint", checkpoint},
              {"step", step},
              {"progress", progress},
              {"batch_size", batch_size},
              {"samples", samples},
              {"metric", metric},
              {"tolerance", tolerance ? Json(*tolerance) : Json()}}
      .dump();
}

Branch Branch::parse(const std::string& text) try {
  const Json json = parse_object(text);
  Branch branch{json.at("run"),        json.at("checkpoint"), json.at("step"),   json.at("progress"),
                json.at("batch_size"), json.at("samples"),    json.at("metric"), {}};
  if (const Json& share = json.at("tolerance"); !share.is_null()) branch.tolerance = share.get<double>();
  if (branch.batch_size < 1 || branch.samples < 1)
    throw Error(ErrorKind::usage, "a batch size and a number of samples are at least 1");
  return branch;
} catch (const std::exception& fault) {
  throw Error(ErrorKind::usage, std::string(variable::kBranch) + " is not a branch: " + fault_text(fault));
}

std::optional<Branch> branch_of(const std::map<std::string, std::string>& environment) {
  const auto found = environment.find(variable::kBranch);
  if (found == environment.end()) return std::nullopt;
  try {
    return Branch::parse(found->second);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace batchscope::protocol
