// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decisions of the pool, the newest first: the time and the cause of each, and which runs got more
// devices by it and which fewer. And one decision, a run a row: its devices now and before, the reason, and
// what another number of devices would have been worth to it.
#pragma once

#include <vector>

#include "batchscope/common/decision_text.h"
#include "batchscope/protocol/pool.h"
#include "look/table_model.h"

namespace batchscope::desktop {

using common::NameOfRun;

class DecisionModel : public TableModel {
  Q_OBJECT
 public:
  enum Column { Time, Cause, Changes, kColumns };

  explicit DecisionModel(NameOfRun nameOf, QObject* parent = nullptr);

  // Oldest first, as the catalogue has them.
  void setDecisions(const std::vector<protocol::PoolDecision>& decisions);
  const protocol::PoolDecision& at(int row) const { return decisions_.at(static_cast<std::size_t>(row)); }

 protected:
  std::size_t rows() const override { return decisions_.size(); }
  std::size_t columns() const override { return kColumns; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  NameOfRun nameOf_;
  std::vector<protocol::PoolDecision> decisions_;  // newest first
};

class ChoiceModel : public TableModel {
  Q_OBJECT
 public:
  enum Column { Run, Devices, Reason, Alternatives, kColumns };

  explicit ChoiceModel(NameOfRun nameOf, QObject* parent = nullptr);

  void setChoices(std::vector<protocol::PoolChoice> choices);

 protected:
  std::size_t rows() const override { return choices_.size(); }
  std::size_t columns() const override { return kColumns; }
  QVariant cell(std::size_t row, std::size_t column, int role) const override;
  QVariant title(std::size_t column, int role) const override;

 private:
  NameOfRun nameOf_;
  std::vector<protocol::PoolChoice> choices_;
};

}  // namespace batchscope::desktop
