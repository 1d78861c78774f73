// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/hyperparameters_panel.h"

#include <QVBoxLayout>

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

int NamedValueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int NamedValueModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 2; }

QVariant NamedValueModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::ForegroundRole && index.column() == 1) return Theme::current().dim;
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  return index.column() == 0 ? row.first : row.second;
}

HyperparametersPanel::HyperparametersPanel(RunSession* session, QWidget* parent)
    : QWidget(parent), session_(session), model_(new NamedValueModel(this)) {
  auto* table = new PlainTable(tr("The program has not said any yet."), this);
  table->setAccessibleName(tr("Hyperparameters"));
  table->setModel(model_);
  table->hideHeader();
  table->setColumnWidth(0, 200);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(table);
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
