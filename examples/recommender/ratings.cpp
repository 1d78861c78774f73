// SPDX-License-Identifier: Apache-2.0
#include "ratings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "batchscope/protocol/error.h"

namespace batchscope::examples {
namespace {

// Numbers from 0 in the order of what they stand for.
std::map<double, std::int64_t> numbered(const Table& table, std::size_t column) {
  std::map<double, std::int64_t> numbers;
  for (std::size_t row = 0; row < table.rows(); ++row)
    numbers[table.values[row * table.columns + column]] = 0;
  std::int64_t next = 0;
  for (auto& [value, number] : numbers) number = next++;
  return numbers;
}

}  // namespace

Ratings make_ratings(const Table& table, const std::string& name) {
  if (table.columns < 3)
    throw Error(ErrorKind::corrupt, name + ": expected rows of user, item, rating and time, found " +
                                        std::to_string(table.columns) + " columns");
  const auto users = numbered(table, 0), items = numbered(table, 1);
  struct Pair {
    std::int64_t user;
    double time;
    std::size_t row;
    std::int64_t item;
    bool operator<(const Pair& other) const {
      return std::tie(user, time, row) < std::tie(other.user, other.time, other.row);
    }
  };
  std::vector<Pair> pairs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double* values = &table.values[row * table.columns];
    for (int column = 0; column < 2; ++column)
      if (values[column] != std::floor(values[column]))
        throw Error(ErrorKind::corrupt, name + ": users and items are whole numbers, and row " +
                                            std::to_string(row + 1) + " has " +
                                            std::to_string(values[column]));
    pairs.push_back({users.at(values[0]), table.columns > 3 ? values[3] : 0, row, items.at(values[1])});
  }
  std::sort(pairs.begin(), pairs.end());

  Ratings ratings{std::ssize(users), std::ssize(items), {}, {}, {}, {}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool first = i == 0 || pairs[i - 1].user != pairs[i].user;
    const bool last = i + 1 == pairs.size() || pairs[i + 1].user != pairs[i].user;
    const bool is_for_testing = last && !first;
    (is_for_testing ? ratings.test_user : ratings.user).push_back(pairs[i].user);
    (is_for_testing ? ratings.test_item : ratings.item).push_back(pairs[i].item);
  }
  if (ratings.test_user.empty())
    throw Error(ErrorKind::corrupt, name + ": no user has two items, so there is nothing to test with");
  return ratings;
}

Ratings read_ratings(const std::filesystem::path& file) {
  return make_ratings(read_table(file), file.string());
}

Ratings drawn_ratings(std::uint64_t seed, std::int64_t users, std::int64_t items) {
  constexpr std::int64_t kTastes = 8;
  std::mt19937_64 random(seed);
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Table table{4, {}};
  for (std::int64_t user = 0; user < users; ++user) {
    const std::int64_t taste = below(kTastes), count = 8 + below(25);
    std::vector<bool> taken(static_cast<std::size_t>(items));
    for (std::int64_t time = 0; time < count; ++time) {
      // An item's number modulo the tastes is its taste, the rest its rank; small ranks are popular.
      const std::int64_t rank = std::min(below(items / kTastes + 1), below(items / kTastes + 1));
      const std::int64_t item = rank * kTastes + (below(5) > 0 ? taste : below(kTastes));
      if (item >= items || taken[static_cast<std::size_t>(item)]) continue;
      taken[static_cast<std::size_t>(item)] = true;
      for (const std::int64_t value : {user, item, std::int64_t{1}, time})
        table.values.push_back(static_cast<double>(value));
    }
  }
  return make_ratings(table, "drawn");
}

}  // namespace batchscope::examples
