// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs, active ones first, then those that wait: with their fields as columns for a table, and with one
// line on their state for the compact list. A sweep is a row of its own, above its trials, which
// RunFilterModel folds. Cells are made when they are shown, so that of thousands of runs only the visible
// ones cost anything.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "batchscope/common/trial_fold.h"
#include "batchscope/protocol/control.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"
#include "look/table_model.h"

namespace batchscope::desktop {

class Comparison;

// Description of a run that has no devices yet, or none for now.
struct WaitingRun {
  int place = 0;  // in the queue, from 1
  QString detail;
  bool operator==(const WaitingRun&) const = default;
};

class RunModel : public TableModel {
  Q_OBJECT
 public:
  // The row of a sweep has an empty IdRole.
  enum Role { IdRole = Qt::UserRole, DetailRole, BadgeRole, StateRole, SectionRole, ColourRole };

  // A row is a run, a sweep, or a trial below the row of its sweep.
  enum class Place { run, sweep, trial };

  // `comparison` makes runs checkable; without it they are not.
  explicit RunModel(Comparison* comparison = nullptr, QObject* parent = nullptr);

  // Newest first; rows that stay keep their identity. `sweeps`: those of which any run is a trial.
  void setRuns(const std::vector<storage::Run>& runs, const common::ListedSweeps& sweeps = {});
  // Sets where followed runs train, by their ids, and the text in place of the state of those without news
  // for a while (CatalogueWatcher::silences).
  void setFollowed(const std::map<std::string, storage::Origin>& followed,
                   const std::map<std::string, std::string>& silences);
  // Sets the runs that wait in the queue of the pool, by their ids.
  void setWaiting(std::map<std::string, WaitingRun> waiting);
  // Takes the status from a run's supervisor, which is newer than the catalogue.
  void setStatus(const protocol::RunStatus& status);
  // The columns; the name is always the first.
  void setFields(const std::vector<std::string>& fields);
  const std::vector<std::string>& fields() const { return fields_; }
  const std::string& field(int column) const { return fields_.at(static_cast<std::size_t>(column)); }
  // The run of a row, or the sweep in the fields of a run (common::RunRow).
  const storage::Run& at(int row) const { return entries_.at(static_cast<std::size_t>(row)).run; }
  Place place(int row) const { return entries_.at(static_cast<std::size_t>(row)).place; }
  // The name of the sweep of which the row is, or below whose row it is; else empty.
  std::string sweepOf(int row) const;
  const std::vector<storage::Run>& runs() const { return runs_; }

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  // Emits the edit that a person asks for; setRuns() shows it once the catalogue has it.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 Q_SIGNALS:
  void edited(const QString& id, const QString& field, const QString& text);

 protected:
  std::size_t rows() const override { return entries_.size(); }
  std::size_t columns() const override { return fields_.size(); }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  struct Entry {
    storage::Run run;
    Place place = Place::run;
    QString detail = {};  // of a sweep, or of a trial that waits for its sweep
    protocol::RunState section = protocol::RunState::finished;  // of a trial its sweep's state
  };

  void order();
  QVariant colourOf(const storage::Run& run) const;
  QVariant sweepCell(const Entry& entry, std::size_t column, int role) const;

  Comparison* comparison_;
  std::vector<storage::Run> runs_;
  common::ListedSweeps sweeps_;
  std::vector<Entry> entries_;
  std::map<std::string, WaitingRun> waiting_;
  std::map<std::string, storage::Origin> followed_;
  std::map<std::string, std::string> silences_;
  std::vector<std::string> fields_{"name"};
};

}  // namespace batchscope::desktop
