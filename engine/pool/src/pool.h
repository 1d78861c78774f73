// SPDX-License-Identifier: Apache-2.0
//
// The pool: looks at the world, decides, and moves the runs to where they are to be. Whoever is to have fewer
// devices or others is asked first; whoever gets them is asked, or started, when nobody has them any more.
//
// What makes it decide is in changes.h, and when it does in rounds.h.
#pragma once

#include <QEventLoop>
#include <QTimer>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "attempt.h"
#include "batchscope/pool/pool.h"
#include "batchscope/run/node_watch.h"
#include "batchscope/run/store_process.h"
#include "batchscope/storage/catalogue.h"
#include "changes.h"
#include "launches.h"
#include "machine_notice.h"
#include "node_supply.h"
#include "plan.h"
#include "recovery.h"
#include "rounds.h"
#include "scale_command.h"
#include "supervisors.h"
#include "world.h"

namespace batchscope::pool {

class Pool {
 public:
  // Beats as it looks.
  Pool(run::StoreLock& lock, const PoolTime& time);
  int exec();

 private:
  void look_at_once();
  void tick();
  void keep_nodes();
  std::string trouble_with_nodes(const protocol::PoolSettings& settings) const;
  void tend_supply(const World& world);
  bool knows_enough(const World& world) const;
  void consider(World& world);
  void decide(World& world, Scope scope, const std::string& cause);
  void keep(World& world, const Plan& plan);
  void carry_out(const World& world);
  void move(const Member& member, const std::vector<std::string>& target);
  void forget_preemption(World& world);
  void on_notice(const std::string& notice);

  run::StoreLock& lock_;
  const PoolTime time_;
  storage::Catalogue catalogue_;
  run::NodeWatch nodes_;
  Supervisors supervisors_;
  Launches launches_;
  MachineNotice notice_;
  ScaleCommand scale_;
  NodeSupply supply_;
  QEventLoop loop_;
  QTimer timer_;
  Changes changes_;
  Rounds rounds_;
  std::map<std::string, std::vector<std::string>> targets_;  // that have not been reached yet
  std::map<std::string, Attempt> attempts_;                  // the last of each run that has not arrived
  std::map<std::string, Recovery> recoveries_;
  std::tuple<double, int, std::string> advice_;       // of the last round: utility, devices, sentence
  std::string nodes_trouble_;                         // of the last tick
  double last_look_ = -1e9, began_ = 0, needed_ = 0;  // monotonic
  bool has_news_ = false;                             // of which no row tells
  bool nodes_changed_ = false;                        // since the catalogue has them
  bool troubled_ = false;                             // the catalogue could not be used, and that was said
};

}  // namespace batchscope::pool
