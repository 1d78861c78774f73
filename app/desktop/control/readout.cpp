// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/readout.h"

#include <QGridLayout>
#include <QLabel>
#include <cmath>
#include <set>
#include <string>

#include "batchscope/common/number_text.h"
#include "chart/formula_hover.h"
#include "look/elided_label.h"
#include "series/formulas.h"
#include "series/view_state.h"
#include "session/run_session.h"

namespace batchscope::desktop {
Readout::Readout(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent), session_(session), state_(state), title_(new ElidedLabel(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setVerticalSpacing(4);
  title_->setObjectName(QStringLiteral("section"));
  grid->addWidget(title_, 0, 0, 1, 2);
  int row = 1;
  for (const common::ReadoutRow& entry : rows_) {
    auto* value = new QLabel(this);
    value->setObjectName(QStringLiteral("dim"));
    value->setAlignment(Qt::AlignRight);
    auto* label = new QLabel(entry.label, this);
    new FormulaHover(label, entry.series, state_, [session] { return session->series(); });
    grid->addWidget(label, row, 0);
    grid->addWidget(value, row, 1);
    values_.push_back(value);
    ++row;
  }
  connect(state_, &ViewState::cursorMoved, this, &Readout::refresh);
  connect(session_, &RunSession::samplesChanged, this, &Readout::refresh);
  connect(session_, &RunSession::opened, this, [this] {
    if (SeriesModel* model = session_->series()) {
      std::set<std::string> wanted;
      for (const common::ReadoutRow& row : rows_) {
        wanted.insert(row.series);
        if (!row.bound.empty()) wanted.insert(row.bound);
        wanted.merge(formulaInputs(row.series));
      }
      model->want(wanted);
    }
    refresh();
  });
}

void Readout::refresh() {
  SeriesModel* model = session_->series();
  const auto at = model == nullptr ? std::nullopt : state_->present(*model);
  if (!at) {
    title_->setText(tr("Measured"));
    for (QLabel* value : values_) value->setText(QStringLiteral("–"));
    return;
  }
  if (state_->pointedAt()) {
    const double seconds = model->position(XAxis::WallTime, *at).value_or(0);
    title_->setText(
        tr("Measured at %1, step %2").arg(common::formatClock(seconds), common::formatCount(at->step)));
  } else {
    title_->setText(tr("Measured, newest step %1").arg(common::formatCount(at->step)));
  }
  const auto valueOf = [&](const std::string& series) {
    return model->value(series, *at).value_or(std::nan(""));
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const common::ReadoutRow& row = rows_[i];
    values_[i]->setText(common::readoutText(row, valueOf(row.series), valueOf(row.bound)));
  }
}

}  // namespace batchscope::desktop
