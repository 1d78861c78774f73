// SPDX-License-Identifier: Apache-2.0
#include "answers/sharing_answers.h"

#include "answer.h"
#include "batchscope/common/figure_json.h"
#include "batchscope/common/goodput_json.h"
#include "batchscope/common/sharing.h"
#include "batchscope/protocol/series.h"

namespace batchscope::web {
namespace {

using protocol::Json;

constexpr long kUsualDevices = 8, kMostDevices = 64;  // the answer grows with their square

common::SharingRun side(Store& store, const std::string& id, int devices) {
  const storage::Run run = store.run(id);
  const auto progress = run.latest.find(protocol::series::kProgress);
  return common::sharingRun(QString::fromStdString(run.name), common::readableModel(store.catalogue(), id),
                            progress == run.latest.end() ? 0 : progress->second, devices);
}

Json split_json(const common::Sharing& sharing, int first) {
  Json rows = Json::array();
  for (const auto& row : common::sharingRows(sharing, first)) {
    Json cells = Json::array();
    for (const QString& cell : row) cells.push_back(cell.toStdString());
    rows.push_back(std::move(cells));
  }
  return {{"rows", std::move(rows)}, {"figure", common::figureJson(common::sharingFigure(sharing, first))}};
}

}  // namespace

Json sharing_json(Store& store, const http::Request& request) {
  const std::vector<std::string> runs = words_in(request, "runs");
  if (runs.size() != 2) throw Error(ErrorKind::usage, "runs= names two runs by their ids");
  const int devices = static_cast<int>(whole_in(request, "devices", 2, kMostDevices, kUsualDevices));
  if (devices % 2 != 0) throw Error(ErrorKind::usage, "devices= must be even, so that there is a fair share");
  const common::Sharing sharing(side(store, runs[0], devices), side(store, runs[1], devices));
  Json choices = Json::array(), splits = Json::array();
  for (const common::SharingChoice& each : common::sharingChoices(sharing))
    choices.push_back(
        {{"name", each.name.toStdString()}, {"meaning", each.meaning.toStdString()}, {"first", each.first}});
  for (int first = 0; first <= devices; ++first) splits.push_back(split_json(sharing, first));
  return {{"names", {sharing.run(0).name.toStdString(), sharing.run(1).name.toStdString()}},
          {"devices", devices},
          {"choices", std::move(choices)},
          {"splits", std::move(splits)}};
}

}  // namespace batchscope::web
