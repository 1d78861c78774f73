// SPDX-License-Identifier: GPL-3.0-or-later
//
// The experiment of a lesson on sharing: a person moves devices from one run to the other, by the slider or
// in the plot, and sees the goodput of each run, their sum, which run is better off than with a fair share,
// and how the pool would split the devices.
#pragma once

#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "batchscope/common/sharing.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSlider;

namespace batchscope::desktop {

class SharingPlot;

class SharingPanel : public QWidget {
  Q_OBJECT
 public:
  explicit SharingPanel(QWidget* parent = nullptr);

  void setSharing(common::Sharing sharing);
  const std::optional<common::Sharing>& sharing() const { return sharing_; }
  QSlider* slider() const { return slider_; }
  SharingPlot* plot() const { return plot_; }

 private:
  QWidget* buildSplit();
  QWidget* buildTable();
  void showSplit();

  std::optional<common::Sharing> sharing_;
  SharingPlot* plot_;
  QSlider* slider_;
  QLabel* title_;
  std::array<QLabel*, 2> counts_;                 // beside the slider
  std::array<QLabel*, 3> names_;                  // of the rows: either run, and both
  std::array<std::array<QLabel*, 3>, 3> values_;  // devices, goodput, against the fair share
  QHBoxLayout* choices_;                          // of a split, behind words
  std::vector<QPushButton*> buttons_;             // in it
};

}  // namespace batchscope::desktop
