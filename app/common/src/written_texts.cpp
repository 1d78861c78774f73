// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/written_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/annotation.h"

namespace batchscope::common {
namespace {

using storage::Catalogue, storage::Run;

const WrittenText kWrittenTexts[] = {
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
       const std::vector<std::string> tags = storage::parse_tags(text);
       catalogue.change_tags(run.id, tagsWithout(tags, run.tags), tagsWithout(run.tags, tags));
     }},
    {"note", [](const Run& run) { return run.note; }, storage::check_note,
     [](Catalogue& catalogue, const Run& run, const std::string& text) {
       catalogue.set_note(run.id, text);
     }}};

}  // namespace

std::span<const WrittenText> writtenTexts() noexcept { return kWrittenTexts; }

const WrittenText& writtenText(std::string_view name) {
  for (const WrittenText& text : kWrittenTexts)
    if (name == text.name) return text;
  throw Error(ErrorKind::usage, std::string(name) + " is not one of name, group, tags and note");
}

std::vector<std::string> tagsWithout(const std::vector<std::string>& tags,
                                     const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  std::ranges::copy_if(tags, std::back_inserter(rest), [&](const std::string& tag) {
    return std::ranges::find(others, tag) == others.end();
  });
  return rest;
}

}  // namespace batchscope::common
