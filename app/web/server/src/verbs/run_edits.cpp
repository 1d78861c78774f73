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
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/storage/annotation.h"
#include "store/asked_for.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;
using storage::Catalogue, storage::Run;
using Tags = std::vector<std::string>;

Tags without(const Tags& tags, const Tags& others) {
  Tags rest;
  std::copy_if(tags.begin(), tags.end(), std::back_inserter(rest),
               [&](const std::string& tag) { return std::ranges::find(others, tag) == others.end(); });
  return rest;
}

struct TextField {
  const char* name;
  std::string (*read)(const Run&);
  void (*check)(const std::string&);
  void (*write)(Catalogue&, const Run&, const std::string&);
};

const TextField kTexts[] = {
    {"name", [](const Run& run) { return run.name; }, storage::check_name,
     [](Catalogue& catalogue, const Run& run, const std::string& text) { catalogue.set_name(run.id, text); }},
    {"group", [](const Run& run) { return run.spec.group; }, storage::check_group,
     [](Catalogue& catalogue, const Run& run, const std::string& text) {
       protocol::RunSpec spec = run.spec;
       spec.group = text;
       catalogue.set_spec(run.id, spec);
     }},
    {"tags", [](const Run& run) { return fmt::format("{}", fmt::join(run.tags, ", ")); },
     [](const std::string& text) { storage::parse_tags(text); },
     [](Catalogue& catalogue, const Run& run, const std::string& text) {
       const Tags tags = storage::parse_tags(text);
       catalogue.change_tags(run.id, without(tags, run.tags), without(run.tags, tags));
     }},
    {"note", [](const Run& run) { return run.note; }, storage::check_note,
     [](Catalogue& catalogue, const Run& run, const std::string& text) {
       catalogue.set_note(run.id, text);
     }}};

const TextField& text_field(const std::string& name) {
  for (const TextField& field : kTexts)
    if (name == field.name) return field;
  throw Error(ErrorKind::usage, name + " is not one of name, group, tags and note");
}

// The object `what` of the body, of texts by names of fields.
Json texts_in(const Json& body, const char* what) {
  const Json texts = body.is_object() ? body.value(what, Json::object()) : Json();
  if (!texts.is_object())
    throw Error(ErrorKind::usage, "send {\"set\":{\"name\":..}} as JSON, with a text for each field");
  for (const auto& [name, text] : texts.items()) {
    text_field(name);
    text_in(text, name);
  }
  return texts;
}

}  // namespace

Json edit_run(Store& store, const std::string& id, const std::string& person, const Json& body) {
  const Json wanted = texts_in(body, "set"), was = texts_in(body, "was");
  for (const auto& [name, text] : wanted.items()) text_field(name).check(text);
  const Run run = store.run(id);
  storage::require_sound(run);
  for (const auto& [name, text] : was.items())
    if (text != text_field(name).read(run))
      throw Error(ErrorKind::conflict,
                  say("the {} of {} has been changed since, and stays as it is", name, common::title(run)));
  Json changed = Json::object(), before = Json::object();
  for (const TextField& field : kTexts) {
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
