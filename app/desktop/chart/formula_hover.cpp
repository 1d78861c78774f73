// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/formula_hover.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QWidget>
#include <utility>

#include "series/formulas.h"
#include "series/view_state.h"

namespace batchscope::desktop {

FormulaHover::FormulaHover(QWidget* widget, std::string series, ViewState* state,
                           std::function<SeriesModel*()> model)
    : QObject(widget), widget_(widget), series_(std::move(series)), state_(state), model_(std::move(model)) {
  widget_->installEventFilter(this);
}

QString FormulaHover::text() const {
  SeriesModel* model = model_();
  const auto at = model == nullptr ? std::nullopt : state_->present(*model);
  return at ? formulaTip(series_, *model, *at) : QString();
}

// The widget's own tip comes last.
bool FormulaHover::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QObject::eventFilter(watched, event);
  QString text = this->text();
  if (text.isEmpty()) return false;
  if (!widget_->toolTip().isEmpty()) text += QStringLiteral("\n\n") + widget_->toolTip();
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text, widget_);
  return true;
}

}  // namespace batchscope::desktop
