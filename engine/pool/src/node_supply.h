// SPDX-License-Identifier: Apache-2.0
//
// Nodes that a person's command brings and takes away (`pool --nodes-from`), of a cluster or a cloud. It is
// called as `CMD WANTED [EMPTY..]` every five seconds: so many nodes would be worth having, and these are
// needed no more. It prints the nodes that are there, a line each, and ends.
//
// A node is never taken away under a run: the pool first stops giving its devices away, which moves the runs
// with checkpoints, and says only then that it is empty. The command may ask for that too, by `leaving`
// behind the node, where it will lose the node soon.
#pragma once

#include <QProcess>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batchscope/protocol/node_name.h"
#include "node_demand.h"

namespace batchscope::pool {

struct OfferedNode {
  protocol::NodeHost host;
  bool leaving = false;  // its devices are not to be given away any more
  bool operator==(const OfferedNode&) const = default;
};

// Parses lines "NAME" or "NAME=HOST", each with or without " leaving"; empty lines are left out. Throws
// Error(usage) quoting what is none, or for a name that is there twice.
std::vector<OfferedNode> parse_offered_nodes(const std::string& text);

// Returns those of `usable` beyond `wanted`: first those that no run uses, and the last by name.
std::vector<std::string> surplus_nodes(std::vector<std::string> usable, const std::set<std::string>& in_use,
                                       int wanted);

class NodeSupply {
 public:
  NodeSupply();
  ~NodeSupply();  // a call that goes on is ended, and not heard
  NodeSupply(const NodeSupply&) = delete;
  NodeSupply& operator=(const NodeSupply&) = delete;

  // To be called each second: asks the command of the world's settings where it is time to. Never blocks and
  // never throws. `advised`, `targets`, `now`: as in node_demand.h.
  void tend(const World& world, int advised, const std::map<std::string, std::vector<std::string>>& targets,
            double now);

  // Returns the nodes whose devices the pool is to give away, as PoolSettings::agents has them; none: nobody
  // has said yet.
  std::optional<std::string> agents() const;
  // Returns whether the command may still have nodes, or ask for some, that nobody wants.
  bool owes() const { return owes_; }
  // Returns why the command failed last, or what it complained of, in a clause; empty: nothing.
  const std::string& trouble() const { return trouble_; }

 private:
  void call(const std::vector<std::string>& words, double now);
  void finish(int code, QProcess::ExitStatus status);
  void fail(const std::string& why);
  void tell(const std::string& trouble);
  std::vector<std::string> usable() const;

  QProcess process_;
  NodeDemand demand_;
  std::string command_;
  std::vector<std::string> words_;                   // of the last call
  double began_ = -1e9;                              // monotonic, the last call
  bool overdue_ = false;                             // it took too long, and was ended
  std::optional<std::vector<OfferedNode>> offered_;  // by the last call that succeeded
  std::set<std::string> given_up_;                   // of these
  int present_ = 0;                                  // nodes, as far as is known
  bool owes_ = false;
  std::string trouble_;
};

}  // namespace batchscope::pool
