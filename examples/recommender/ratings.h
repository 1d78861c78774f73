// SPDX-License-Identifier: Apache-2.0
//
// Ratings of items by users: MovieLens files as downloaded, or made-up ratings. The last item of each user is
// kept for testing (He et al. 2017).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "table.h"

namespace batchscope::examples {

struct Ratings {
  std::int64_t users = 0, items = 0;
  std::vector<std::int64_t> user, item;            // pairs to train on, from 0
  std::vector<std::int64_t> test_user, test_item;  // one for each user of at least two items
};

// Takes rows of user, item, rating and, optionally, time; the numbers of users and items may have gaps.
// Throws Error(corrupt), naming `name`, for fewer than three columns, for numbers that are not whole, and if
// no user has two items.
Ratings make_ratings(const Table& table, const std::string& name);

// Reads ratings.csv, ratings.dat or u.data of MovieLens. Throws as above and as read_table.
Ratings read_ratings(const std::filesystem::path& file);

// Makes up users and items of eight tastes. Users mostly take items of their own taste, popular ones more
// often. The same seed gives the same ratings everywhere.
Ratings drawn_ratings(std::uint64_t seed, std::int64_t users, std::int64_t items);

}  // namespace batchscope::examples
