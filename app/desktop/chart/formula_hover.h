// SPDX-License-Identifier: GPL-3.0-or-later
//
// While the pointer rests on a widget that names a series, its tool tip is the formula of the series with the
// numbers of the step under the cross-hair in it, or of the newest.
#pragma once

#include <QObject>
#include <functional>
#include <string>

class QWidget;

namespace batchscope::desktop {

class SeriesModel;
class ViewState;

class FormulaHover : public QObject {
 public:
  // The widget owns it. `model` may return null.
  FormulaHover(QWidget* widget, std::string series, ViewState* state, std::function<SeriesModel*()> model);

  QString text() const;  // empty where there is no formula

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* widget_;
  std::string series_;
  ViewState* state_;
  std::function<SeriesModel*()> model_;
};

}  // namespace batchscope::desktop
