// SPDX-License-Identifier: GPL-3.0-or-later
//
// The trials of a sweep as a table, a trial a row: its number, its state, each parameter that is searched,
// its value, the rung that it came to, and what it took.
#pragma once

#include <QSortFilterProxyModel>
#include <memory>
#include <vector>

#include "look/table_model.h"
#include "session/sweep_snapshot.h"

namespace batchscope::desktop {

class TrialModel : public TableModel {
  Q_OBJECT
 public:
  enum Role { SortRole = Qt::UserRole };  // a number or a text; nothing: the last, however it is sorted

  using TableModel::TableModel;

  // Null: there are none. The view is kept.
  void setView(std::shared_ptr<const sweep::SweepView> view);
  void setHovered(std::optional<std::size_t> trial);  // its row stands out
  int valueColumn() const;
  std::optional<std::size_t> best() const { return view_ ? view_->best : std::nullopt; }

 protected:
  std::size_t rows() const override { return count_; }
  std::size_t columns() const override { return columns_.size(); }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  enum class Kind { Number, State, Parameter, Value, Rung, DeviceTime, Message };
  struct Column {
    Kind kind;
    std::size_t parameter = 0;  // index in the file
    QString title = {};
    bool isNumber = false;
    bool operator==(const Column&) const = default;
  };

  std::vector<Column> columnsOf(const sweep::SweepView& view) const;
  QString text(const sweep::TrialView& trial, std::size_t row, const Column& column) const;
  QVariant key(const sweep::TrialView& trial, std::size_t row, const Column& column) const;

  std::shared_ptr<const sweep::SweepView> view_;
  std::vector<Column> columns_;
  std::size_t count_ = 0;  // of trials that are shown
  std::optional<std::size_t> hovered_;
};

// Passes trials with all words of a text in their row, and within the brushes. Rows of the model are trials'
// numbers.
class TrialFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit TrialFilter(TrialModel* trials, QObject* parent = nullptr);

  void setText(const QString& text);
  void setBrushed(std::vector<bool> kept);  // trials beyond these are
  // Returns, for each of so many trials, whether it is shown.
  std::vector<bool> shown(std::size_t trials) const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList words_;
  std::vector<bool> brushed_;
};

}  // namespace batchscope::desktop
