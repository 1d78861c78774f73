// SPDX-License-Identifier: Apache-2.0
#include "answers/scaling_answers.h"

#include <optional>

#include "batchscope/common/figure_json.h"
#include "batchscope/common/goodput_json.h"
#include "batchscope/common/stored_series.h"
#include "batchscope/common/why_it_scaled.h"

namespace batchscope::web {

using protocol::Json;

Json scaling_json(Store& store, const std::string& id) {
  const storage::Run run = store.run(id);
  const auto model = common::readableModel(store.catalogue(), id);
  common::ScaledRun scaled;
  scaled.generations = store.catalogue().generations(id);
  if (model) scaled.model = &*model;
  std::optional<common::StoredSeries> series;
  if (storage::SampleReader* reader = store.samples(id)) {
    scaled.series = &series.emplace(*reader, scaled.generations);
    scaled.quality.push_back(
        {QString::fromStdString(run.name), {common::Ink::Series, 0}, common::qualityOf(*series)});
    if (model) scaled.measured = run::measure_step_times(scaled.generations, *reader, *model);
  }
  const std::vector<common::ScalingCard> cards = common::scalingCards();
  const std::vector<common::FigureData> figures = common::whyItScaled(scaled);
  Json list = Json::array();
  for (std::size_t i = 0; i < cards.size(); ++i)
    list.push_back({{"name", cards[i].name},
                    {"title", cards[i].title.toStdString()},
                    {"unit", cards[i].unit.toStdString()},
                    {"caption", cards[i].caption.toStdString()},
                    {"figure", common::figureJson(figures[i])}});
  return {{"figures", std::move(list)}};
}

}  // namespace batchscope::web
