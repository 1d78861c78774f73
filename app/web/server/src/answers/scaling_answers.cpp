// SPDX-License-Identifier: Apache-2.0
#include "answers/scaling_answers.h"

#include <optional>

#include "batchscope/common/figure_json.h"
#include "batchscope/common/goodput_json.h"
#include "batchscope/common/stored_series.h"
#include "batchscope/common/why_it_scaled.h"

namespace batchscope::web {
namespace {

using protocol::Json;

Json card_json(const common::ScalingCard& card, const common::FigureData& figure) {
  return {{"name", card.name},
          {"title", card.title.toStdString()},
          {"unit", card.unit.toStdString()},
          {"caption", card.caption.toStdString()},
          {"figure", common::figureJson(figure)}};
}

}  // namespace

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
  for (std::size_t i = 0; i < cards.size(); ++i) list.push_back(card_json(cards[i], figures[i]));
  return {{"figures", std::move(list)}};
}

Json compared_json(Store& store, const std::vector<std::string>& ids) {
  std::vector<common::QualityRun> quality;
  for (const std::string& id : ids) {
    const storage::Run run = store.run(id);
    common::QualityRun& each = quality.emplace_back();
    each.name = QString::fromStdString(run.name);
    each.ink = {common::Ink::Run, static_cast<int>(quality.size()) - 1};
    if (storage::SampleReader* reader = store.samples(id)) {
      common::StoredSeries series(*reader, store.catalogue().generations(id));
      each.points = common::qualityOf(series);
    }
  }
  std::vector<common::ScalingCard> cards = common::scalingCards();
  std::erase_if(cards, [](const common::ScalingCard& card) { return !card.isCompared; });
  const std::vector<common::FigureData> figures = common::comparedFigures(quality);
  Json list = Json::array();
  for (std::size_t i = 0; i < cards.size(); ++i) list.push_back(card_json(cards[i], figures[i]));
  return {{"figures", std::move(list)}};
}

}  // namespace batchscope::web
