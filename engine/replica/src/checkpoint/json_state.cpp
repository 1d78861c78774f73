// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/json_state.h"

#include <istream>
#include <iterator>
#include <ostream>

#include "batchscope/protocol/error.h"

namespace batchscope::replica {

void JsonState::save(std::ostream& out) {
  protocol::Json json = contents();
  json["version"] = kVersion;
  if (form_ == Form::text)
    out << json.dump() << '\n';
  else
    protocol::Json::to_cbor(json, out);
}

void JsonState::load(std::istream& in) {
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    const bool is_text = text.starts_with('{');  // which no object in CBOR does
    const protocol::Json json = is_text ? protocol::Json::parse(text) : protocol::Json::from_cbor(text);
    const int version = json.at("version");
    if (version > kVersion)
      throw Error(ErrorKind::version, "the state \"" + name() + "\" has version " + std::to_string(version) +
                                          ", but this program reads up to " + std::to_string(kVersion) +
                                          ": use a newer BatchScope");
    restore(json);
  } catch (const protocol::Json::exception& e) {
    throw Error(ErrorKind::corrupt, "the state \"" + name() + "\" is damaged: " + protocol::fault_text(e));
  }
}

}  // namespace batchscope::replica
