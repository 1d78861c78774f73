// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all tables of the window answer alike: cells have no children, nothing heads the rows, and only what
// is there is asked for.
#pragma once

#include <QAbstractTableModel>

namespace batchscope::desktop {

class TableModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(rows());
  }
  int columnCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(columns());
  }
  QVariant data(const QModelIndex& index, int role) const final {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    return cell(static_cast<std::size_t>(index.row()), static_cast<std::size_t>(index.column()), role);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    return title(static_cast<std::size_t>(section), role);
  }

 protected:
  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;
  virtual QVariant cell(std::size_t row, std::size_t column, int role) const = 0;
  virtual QVariant title(std::size_t /*column*/, int /*role*/) const { return {}; }

  // Numbers stand at the right: for Qt::TextAlignmentRole.
  static QVariant aligned(bool isRight) {
    return QVariant(Qt::AlignVCenter | (isRight ? Qt::AlignRight : Qt::AlignLeft));
  }
};

}  // namespace batchscope::desktop
