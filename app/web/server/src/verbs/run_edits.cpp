// SPDX-License-Identifier: Apache-2.0
#include "verbs/run_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "answer.h"
#include "batchscope/common/run_control.h"
#include "batchscope/common/say.h"
#include "batchscope/common/written_texts.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "store/asked_for.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using storage::Catalogue, storage::Run;

// The object `what` of the body, of texts by names of fields.
Json texts_in(const Json& body, const char* what) {
  const Json texts = body.is_object() ? body.value(what, Json::object()) : Json();
  if (!texts.is_object())
    throw Error(ErrorKind::usage, "send {\"set\":{\"name\":..}} as JSON, with a text for each field");
  for (const auto& [name, text] : texts.items()) {
    common::writtenText(name);
    text_in(text, name);
  }
  return texts;
}

}  // namespace

Json edit_run(Store& store, const std::string& id, const std::string& person, const Json& body) {
  const Json wanted = texts_in(body, "set"), was = texts_in(body, "was");
  for (const auto& [name, text] : wanted.items()) common::writtenText(name).check(text);
  const Run run = store.run(id);
  storage::require_sound(run);
  for (const auto& [name, text] : was.items())
    if (text != common::writtenText(name).read(run))
      throw Error(ErrorKind::conflict,
                  say("the {} of {} has been changed since, and stays as it is", name, common::title(run)));
  Json changed = Json::object(), before = Json::object();
  for (const common::WrittenText& field : common::writtenTexts()) {
    if (!wanted.contains(field.name)) continue;
    const std::string old = field.read(run);
    field.write(store.catalogue(), run, wanted.at(field.name));
    const std::string now = field.read(store.run(id));
    if (now == old) continue;
    before[field.name] = old;
    changed[field.name] = now;
    note_asked_for(store.catalogue(), run, fmt::format("new {}", field.name), person);
  }
  return {{"changed", std::move(changed)}, {"before", std::move(before)}};
}

Json trash_run(Store& store, const std::string& id, const std::string& person, const Json& body) {
  const Json removed = body.is_object() ? body.value("removed", Json()) : Json();
  if (!removed.is_boolean())
    throw Error(ErrorKind::usage, "send {\"removed\":true} or {\"removed\":false} as JSON");
  Catalogue& catalogue = store.catalogue();
  if (removed == true) {
    const Run run = store.run(id);
    common::refusePending(catalogue, run);
    note_asked_for(catalogue, run, "move to the trash", person);
    catalogue.move_to_trash(id);
  } else {
    const auto run = protocol::valid_run_id(id) ? catalogue.run(id) : std::nullopt;
    if (!run) throw Error(ErrorKind::not_found, say("there is no run {}", id));
    catalogue.restore(id);
    note_asked_for(catalogue, *run, "restore from the trash", person);
  }
  return {{"removed", removed}};
}

}  // namespace batchscope::web
