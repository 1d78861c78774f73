// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing a JSON state.
#include "json_state.h"

#include <istream>
#include <iterator>
#include <ostream>

#include "batchscope/protocol/error.h"

namespace batchscope {

void JsonState::save(std::ostream& out) {
  protocol::Json json = contents();
  json["version"] = kVersion;
  out << json.dump() << '\n';
}

void JsonState::load(std::istream& in) {
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    const protocol::Json json = protocol::Json::parse(text);
    const int version = json.at("version");
    if (version > kVersion)
      throw Error(ErrorKind::version, "the state \"" + name() + "\" is of version " +
                                          std::to_string(version) + ", this program reads up to " +
                                          std::to_string(kVersion) + ": use a newer BatchScope");
    restore(json);
  } catch (const protocol::Json::exception& e) {
    throw Error(ErrorKind::corrupt, "the state \"" + name() + "\" is damaged: " + e.what());
  }
}

}  // namespace batchscope
