// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that are looked at together: those that a person chose, and the one that is open. Each has a
// colour, a slot of Theme::runs, which it keeps as long as it is among them. Nothing is read for it here.
#pragma once

#include <QObject>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::desktop {

class Comparison : public QObject {
  Q_OBJECT
 public:
  struct Member {
    std::string id;
    int colour = 0;
    bool isChosen = true;  // not only there because it is open
  };
  // More lines than this cannot be told apart, and each costs its series.
  static constexpr std::size_t kMost = 40;

  using QObject::QObject;

  // The open run first, then in the order in which they were chosen; empty where no other run is chosen.
  std::vector<Member> members() const;
  bool isActive() const { return !members().empty(); }
  bool isChosen(const std::string& id) const;
  // Returns the colour of a member, where something is compared.
  std::optional<int> colourOf(const std::string& id) const;
  std::size_t chosenCount() const;

  // Adds or removes a run; runs beyond the most are not taken.
  void choose(const std::string& id, bool isChosen);
  void choose(const std::vector<std::string>& ids);  // these and no others
  void clear() { choose(std::vector<std::string>{}); }
  void setColour(const std::string& id, int colour);
  void setOpen(const std::string& id);
  // Keeps only the runs among `ids`, which are all that there are.
  void keep(const std::set<std::string>& ids);

 Q_SIGNALS:
  void changed();
  void full();  // one more was asked for

 private:
  int freeColour() const;
  Member* find(const std::string& id);
  const Member* find(const std::string& id) const;
  bool add(const std::string& id);
  void dropUnchosen();  // but not the open one

  std::vector<Member> members_;
  std::string open_;
};

}  // namespace batchscope::desktop
