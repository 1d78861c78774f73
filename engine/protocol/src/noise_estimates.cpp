// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/noise_estimates.h"

#include <fstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"

namespace batchscope::protocol {

std::string noise_line(const NoiseEstimate& estimate) {
  return Json{{"initial_batch_size", estimate.initial_batch_size},
              {"local_batch_size", estimate.local_batch_size},
              {"gradients", estimate.gradients},
              {"sqr", encode_number(estimate.sqr)},
              {"var", encode_number(estimate.var)}}
      .dump();
}

std::vector<NoiseEstimate> read_noise_estimates(const std::filesystem::path& file) {
  std::vector<NoiseEstimate> estimates;
  if (!std::filesystem::exists(file)) return estimates;
  std::ifstream in(file);
  if (!in) throw Error(ErrorKind::io, "cannot read " + file.string());
  for (std::string line; std::getline(in, line) && !in.eof();) try {
      const Json json = parse_object(line);
      estimates.push_back({json.at("initial_batch_size"), json.at("local_batch_size"), json.at("gradients"),
                           decode_number(json.at("sqr")), decode_number(json.at("var"))});
    } catch (const std::exception& fault) {
      throw Error(ErrorKind::corrupt, file.string() + ": line " + std::to_string(estimates.size() + 1) +
                                          " is not an estimate of the noise: " + fault_text(fault));
    }
  return estimates;
}

}  // namespace batchscope::protocol
