// SPDX-License-Identifier: GPL-3.0-or-later
//
// The charts that a person sees, in their order: choices by hand over the defaults. Charts go by their names,
// so that another run with the same series looks the same. A chart that a run does not have keeps its place
// for a run that has it. Only a few charts of a program's own series are shown unasked.
#pragma once

#include <QStringList>
#include <map>
#include <string>
#include <vector>

#include "batchscope/common/charts.h"

class QSettings;

namespace batchscope::desktop {

class ChartLayout {
 public:
  static constexpr std::size_t kMostOwn = 4;       // charts of a program's own series that come unasked
  static constexpr std::size_t kMostPlaces = 256;  // of charts, of this run and of others, that are kept

  // Sets the charts that there are to show, in the default order.
  void setAvailable(std::vector<common::ChartSpec> charts);

  // Returns the charts in the person's order, hidden ones too.
  const std::vector<common::ChartSpec>& charts() const { return charts_; }
  bool isShown(const std::string& name) const;
  // Returns how many charts are left out only because there are so many.
  std::size_t leftOut() const;

  void setShown(const std::string& name, bool isShown) { chosen_[name] = isShown; }
  // Moves a chart to the place where `target` is, which makes room.
  void move(const std::string& name, const std::string& target);
  void reset();

  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 private:
  std::vector<std::string> wholeOrder() const;
  void limitOrder();
  void arrange();
  bool isShownUnasked(const std::string& name) const;

  std::vector<common::ChartSpec> available_, charts_;
  // The charts that there were at the last move; a later one has its default place, and takes none here.
  std::vector<std::string> order_;
  std::map<std::string, bool> chosen_;  // whether it is shown
};

}  // namespace batchscope::desktop
