// SPDX-License-Identifier: Apache-2.0
//
// Starts supervisors for runs that have none. Until a supervisor has taken its devices, the pool holds them
// in its own name, so that they are the run's, whoever shares them. A start that finds its devices taken
// costs the run nothing; one that fails for another reason counts as a crash of its supervisor, and is tried
// again as often as the restart budget allows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "batchscope/protocol/process_id.h"
#include "batchscope/storage/catalogue.h"
#include "supervisors.h"
#include "world.h"

namespace batchscope::pool {

enum class Launch {
  begun,
  overtaken,  // nothing was tried: a person has cancelled the run, or asked for another number, meanwhile
  failed      // why() says the reason
};

class Launches {
 public:
  Launches(storage::Catalogue& catalogue, Supervisors& supervisors)
      : catalogue_(catalogue), supervisors_(supervisors) {}

  Launch start(const Member& member, const std::vector<std::string>& devices);
  // Takes devices back whose supervisors did not come up.
  void look_after(const World& world);

  bool under_way(const std::string& run) const { return under_way_.contains(run); }
  bool any_under_way() const { return !under_way_.empty(); }
  // Why the newest start of a run that still has none did not succeed; empty: it did, or there was none.
  std::string why(const std::string& run) const;

 private:
  void count(const Member& member, const std::string& why);
  void give_up(const Member& member, const std::string& why);

  storage::Catalogue& catalogue_;
  Supervisors& supervisors_;
  std::map<std::string, protocol::ProcessId> under_way_;  // by run: a supervisor that has not been seen yet
  std::map<std::string, std::string> failures_;           // by run
};

}  // namespace batchscope::pool
