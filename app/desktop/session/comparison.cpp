// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/comparison.h"

#include <algorithm>
#include <utility>

namespace batchscope::desktop {

const Comparison::Member* Comparison::find(const std::string& id) const {
  const auto found = std::ranges::find(members_, id, &Member::id);
  return found == members_.end() ? nullptr : &*found;
}

Comparison::Member* Comparison::find(const std::string& id) {
  return const_cast<Member*>(std::as_const(*this).find(id));
}

std::vector<Comparison::Member> Comparison::members() const {
  std::vector<Member> sorted = members_;
  std::ranges::stable_partition(sorted, [this](const Member& m) { return m.id == open_; });
  const bool isAlone =
      std::ranges::none_of(sorted, [this](const Member& m) { return m.isChosen && m.id != open_; });
  return isAlone ? std::vector<Member>{} : sorted;
}

bool Comparison::isChosen(const std::string& id) const {
  const Member* member = find(id);
  return member != nullptr && member->isChosen;
}

std::optional<int> Comparison::colourOf(const std::string& id) const {
  const Member* member = find(id);
  return member != nullptr && isActive() ? std::optional(member->colour) : std::nullopt;
}

std::size_t Comparison::chosenCount() const {
  return static_cast<std::size_t>(std::ranges::count(members_, true, &Member::isChosen));
}

int Comparison::freeColour() const {
  int colour = 0;
  while (std::ranges::find(members_, colour, &Member::colour) != members_.end()) ++colour;
  return colour;
}

bool Comparison::add(const std::string& id) {
  if (Member* member = find(id)) {
    member->isChosen = true;
    return true;
  }
  if (members_.size() >= kMost) return false;
  members_.push_back({id, freeColour()});
  return true;
}

void Comparison::dropUnchosen() {
  std::erase_if(members_, [this](const Member& m) { return !m.isChosen && m.id != open_; });
}

void Comparison::choose(const std::string& id, bool isChosen) {
  if (isChosen == this->isChosen(id)) return;
  if (isChosen && !add(id)) {
    Q_EMIT full();
    return;
  }
  if (!isChosen) {
    find(id)->isChosen = false;
    dropUnchosen();
  }
  Q_EMIT changed();
}

void Comparison::choose(const std::vector<std::string>& ids) {
  for (Member& member : members_) member.isChosen = std::ranges::find(ids, member.id) != ids.end();
  dropUnchosen();
  bool isWhole = true;
  for (const std::string& id : ids) isWhole = add(id) && isWhole;
  if (!isWhole) Q_EMIT full();
  Q_EMIT changed();
}

void Comparison::setColour(const std::string& id, int colour) {
  Member* member = find(id);
  if (member == nullptr || member->colour == colour) return;
  member->colour = colour;
  Q_EMIT changed();
}

void Comparison::setOpen(const std::string& id) {
  if (id == open_) return;
  open_ = id;
  dropUnchosen();
  if (!id.empty() && find(id) == nullptr) members_.push_back({id, freeColour(), false});
  Q_EMIT changed();
}

void Comparison::keep(const std::set<std::string>& ids) {
  if (std::erase_if(members_, [&](const Member& m) { return m.id != open_ && !ids.contains(m.id); }) > 0)
    Q_EMIT changed();
}

}  // namespace batchscope::desktop
