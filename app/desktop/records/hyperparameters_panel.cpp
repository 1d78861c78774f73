// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/hyperparameters_panel.h"

#include "look/box.h"
#include "look/plain_table.h"
#include "look/theme.h"
#include "session/run_session.h"

namespace batchscope::desktop {

void NamedValueModel::setRows(std::vector<Row> rows) {
  if (rows == rows_) return;
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

QVariant NamedValueModel::cell(std::size_t row, std::size_t column, int role) const {
  if (role == Qt::ForegroundRole && column == 1) return Theme::current().dim;
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  return column == 0 ? rows_[row].first : rows_[row].second;
}

HyperparametersPanel::HyperparametersPanel(RunSession* session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new NamedValueModel(this)) {
  auto* table = new PlainTable(tr("The program has not said any yet."), this);
  table->setAccessibleName(tr("Hyperparameters"));
  table->setModel(model_);
  table->hideHeader();
  table->setColumnWidth(0, 200);
  vbox(this, {}, -1, {table});
  connect(session_, &RunSession::opened, this, &HyperparametersPanel::refresh);
  connect(session_, &RunSession::detailsChanged, this, &HyperparametersPanel::refresh);
}

void HyperparametersPanel::refresh() {
  std::vector<NamedValueModel::Row> rows;
  if (session_->isOpen()) {
    for (const auto& [name, value] : session_->hyperparameters()) {
      rows.emplace_back(QString::fromStdString(name), QString::fromStdString(value));
    }
    const storage::Run& run = session_->run();
    const protocol::RunSpec& spec = run.spec;
    QStringList tags;
    for (const std::string& tag : run.tags) tags << QString::fromStdString(tag);
    if (!tags.isEmpty()) rows.emplace_back(tr("tags"), tags.join(QStringLiteral(", ")));
    if (!spec.group.empty()) rows.emplace_back(tr("group"), QString::fromStdString(spec.group));
    if (!run.note.empty()) rows.emplace_back(tr("note"), QString::fromStdString(run.note));
    QStringList command{QString::fromStdString(spec.program)};
    for (const std::string& argument : spec.arguments) command << QString::fromStdString(argument);
    rows.emplace_back(tr("command"), command.join(QLatin1Char(' ')));
    rows.emplace_back(tr("run id"), QString::fromStdString(session_->run().id));
  }
  model_->setRows(std::move(rows));
}

}  // namespace batchscope::desktop
