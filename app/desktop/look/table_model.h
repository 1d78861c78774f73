// SPDX-License-Identifier: GPL-3.0-or-later
//
// The base of all tables of the window: cells have no children, rows have no headers, and only cells that
// exist are asked for.
#pragma once

#include <QAbstractTableModel>
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

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

  // Makes `fresh` the rows, which are what rows() counts. Those that stay, by what `idOf` says of a row, keep
  // their identity and with it what is selected; views hear only of those that do not look the same.
  template <class Row, class IdOf, class LooksSame>
  void replaceRows(std::vector<Row>& rows, std::vector<Row> fresh, IdOf idOf, LooksSame looksSame) {
    const auto placesOf = [&](const std::vector<Row>& list) {
      std::unordered_map<std::decay_t<decltype(idOf(rows[0]))>, int> places;
      for (const Row& row : list) places.emplace(idOf(row), static_cast<int>(places.size()));
      return places;
    };
    const auto place = placesOf(fresh), before = placesOf(rows);
    for (int row = rowCount() - 1; row >= 0; --row) {
      if (place.contains(idOf(rows[static_cast<std::size_t>(row)]))) continue;
      beginRemoveRows({}, row, row);
      rows.erase(rows.begin() + row);
      endRemoveRows();
    }
    std::vector<Row> added;
    std::copy_if(fresh.begin(), fresh.end(), std::back_inserter(added),
                 [&](const Row& row) { return !before.contains(idOf(row)); });
    if (!added.empty()) {
      beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(added.size()) - 1);
      std::move(added.begin(), added.end(), std::back_inserter(rows));
      endInsertRows();
    }
    if (std::equal(fresh.begin(), fresh.end(), rows.begin(), rows.end(),
                   [&](const Row& a, const Row& b) { return idOf(a) == idOf(b); })) {
      std::vector<int> changed;
      for (std::size_t row = 0; row < rows.size(); ++row)
        if (!looksSame(rows[row], fresh[row])) changed.push_back(static_cast<int>(row));
      rows = std::move(fresh);
      for (const int row : changed) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
      return;
    }
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex& old : from)
      to << createIndex(place.at(idOf(rows[static_cast<std::size_t>(old.row())])), old.column());
    rows = std::move(fresh);
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged();
  }
};

}  // namespace batchscope::desktop
