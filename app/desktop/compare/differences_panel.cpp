// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/differences_panel.h"

#include <QCheckBox>
#include <QHeaderView>
#include <algorithm>
#include <functional>

#include "batchscope/common/number_text.h"
#include "batchscope/protocol/error.h"
#include "compare/compared_series.h"
#include "look/box.h"
#include "look/plain_table.h"
#include "look/theme.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {
namespace {

constexpr int kNarrowest = 110, kWidestColumn = 380;  // of a column

using Kind = storage::SideBySideSection::Kind;

QString titleOf(Kind kind) {
  switch (kind) {
    case Kind::run: return DifferencesModel::tr("Run");
    case Kind::hyperparameters: return DifferencesModel::tr("Hyperparameters");
    case Kind::generations: return DifferencesModel::tr("Generations");
    case Kind::latest: return DifferencesModel::tr("Newest values");
  }
  return {};
}

QString textOf(const storage::Generation& generation) {
  QString text =
      DifferencesModel::tr("×%1, %2, steps %3–%4")
          .arg(generation.replicas)
          .arg(QString::fromStdString(generation.reason), common::formatCount(generation.first_step),
               common::formatCount(generation.last_step));
  if (generation.pause >= 0)
    text += DifferencesModel::tr(", pause %1").arg(common::formatPause(generation.pause));
  return text;
}

// How much all of them begin with, where that is much, but for the last word or folder of it, which says what
// follows.
qsizetype commonStart(const std::vector<QString>& values) {
  constexpr qsizetype kMuch = 12;
  const QString& first = values.front();
  qsizetype same = first.size();
  for (const QString& value : values) {
    const auto end =
        std::mismatch(first.begin(), first.begin() + std::min(same, value.size()), value.begin());
    same = end.first - first.begin();
  }
  for (int word = 0; word < 2 && same > 0; ++word) {
    if (word > 0) --same;
    while (same > 0 && !QStringView(u" /,=").contains(first[same - 1])) --same;
  }
  return same < kMuch ? 0 : same;
}

QString textOf(const std::string& name, const storage::SideBySideValue& value) {
  if (const auto* number = std::get_if<double>(&value))
    return name == "duration" ? common::formatDuration(*number) : common::formatNumber(*number, 4);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return common::formatCount(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return QString::fromStdString(*text).simplified();
  if (const auto* generation = std::get_if<storage::Generation>(&value)) return textOf(*generation);
  return {};
}

}  // namespace

void DifferencesModel::setRuns(const std::vector<storage::Run>& runs,
                               const std::vector<std::vector<storage::Generation>>& generations, bool all) {
  beginResetModel();
  names_.clear();
  rows_.clear();
  for (const storage::Run& run : runs) names_.push_back(QString::fromStdString(run.name));
  for (const auto& section : storage::side_by_side(runs, generations, storage::now())) {
    bool isFirst = true;
    for (const auto& row : section.rows) {
      Row shown{isFirst ? titleOf(section.kind) : QString(), QString::fromStdString(row.name), {}, false};
      for (const auto& value : row.values) shown.values.push_back(textOf(row.name, value));
      shown.differs = std::adjacent_find(shown.values.begin(), shown.values.end(), std::not_equal_to<>()) !=
                      shown.values.end();
      if (!shown.differs && !all) continue;
      if (shown.differs) shown.hidden = commonStart(shown.values);
      rows_.push_back(std::move(shown));
      isFirst = false;
    }
  }
  endResetModel();
}

QVariant DifferencesModel::cell(std::size_t at, std::size_t column, int role) const {
  const Row& row = rows_[at];
  if (role == Qt::ForegroundRole)
    return column == 1 || (column > 1 && row.differs) ? QVariant() : QVariant(Theme::current().dim);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (column < 2) return column == 0 ? row.section : row.name;
  const QString& value = row.values[column - 2];
  if (value.isEmpty()) return QStringLiteral("–");
  return row.hidden == 0 || role == Qt::ToolTipRole ? value : QStringLiteral("…") + value.mid(row.hidden);
}

QVariant DifferencesModel::title(std::size_t column, int role) const {
  return column < 2 || role != Qt::DisplayRole ? QVariant() : names_[column - 2];
}

DifferencesPanel::DifferencesPanel(ComparedSeries* compared, CatalogueWatcher* watcher, QWidget* parent)
    : QWidget(parent),
      compared_(compared),
      watcher_(watcher),
      model_(new DifferencesModel(this)),
      all_(new QCheckBox(tr("Show equal values, too"), this)) {
  auto* table = new PlainTable(tr("Check two or more runs to see how they differ."), this);
  table->setObjectName(QStringLiteral("differencesTable"));
  table->setMinimumHeight(40);
  table->setAccessibleName(tr("Differences of the compared runs"));
  table->setModel(model_);
  table->horizontalHeader()->setStretchLastSection(false);
  vbox(this, {}, 0, {hbox(nullptr, {12, 6, 12, 2}, -1, {all_, rest()}), {table, 1}});
  connect(all_, &QCheckBox::toggled, this, &DifferencesPanel::refresh);
  connect(compared_, &ComparedSeries::changed, this, &DifferencesPanel::refresh);
  connect(watcher_, &CatalogueWatcher::changed, this, &DifferencesPanel::refresh);
  connect(model_, &QAbstractItemModel::modelReset, table, [this, table] {
    table->resizeColumnsToContents();
    for (int i = 0; i < model_->columnCount(); ++i)
      table->setColumnWidth(i, std::clamp(table->columnWidth(i), kNarrowest, kWidestColumn));
  });
}

void DifferencesPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void DifferencesPanel::refresh() {
  if (!isVisible()) return;
  std::vector<storage::Run> runs;
  std::vector<std::vector<storage::Generation>> generations;
  for (const ComparedSeries::Entry& entry : compared_->runs()) {
    const storage::Run* found = watcher_->find(entry.id);
    if (found == nullptr) continue;
    try {
      generations.push_back(watcher_->catalogue().generations(entry.id));
    } catch (const Error&) {
      return;  // the watcher reads the same catalogue, and says what is the matter
    }
    runs.push_back(*found);
  }
  model_->setRuns(runs, generations, all_->isChecked());
}

}  // namespace batchscope::desktop
