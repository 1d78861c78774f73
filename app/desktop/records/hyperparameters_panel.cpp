// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/hyperparameters_panel.h"

#include "look/theme.h"
#include "session/run_session.h"
#include "session/shell_words.h"

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
    : PlainTable(tr("The program has not reported any hyperparameters yet."), parent),
      session_(session),
      values_(new NamedValueModel(this)) {
  setAccessibleName(tr("Hyperparameters"));
  setModel(values_);
  hideHeader();
  setColumnWidth(0, 200);
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
    rows.emplace_back(tr("command"), commandOf(spec));
    rows.emplace_back(tr("run id"), QString::fromStdString(session_->run().id));
  }
  values_->setRows(std::move(rows));
}

}  // namespace batchscope::desktop
