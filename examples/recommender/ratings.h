// SPDX-License-Identifier: Apache-2.0
//
// Ratings of items by users: MovieLens' as they are downloaded, or made-up ones. Of each user's items the
// last is kept for testing (He et al. 2017).
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

// Rows of user, item, rating and, where there is one, time; numbers of users and items may have gaps. `name`
// stands in the message. Throws Error(corrupt) for fewer than three columns, numbers that are not whole, and
// where nobody has two items.
Ratings make_ratings(const Table& table, const std::string& name);

// ratings.csv, ratings.dat or u.data of MovieLens. Throws as above and as read_table.
Ratings read_ratings(const std::filesystem::path& file);

// Users and items of eight tastes; a user takes mostly items of the own taste, popular ones more often. The
// same seed gives the same ratings everywhere.
Ratings drawn_ratings(std::uint64_t seed, std::int64_t users, std::int64_t items);

}  // namespace batchscope::examples
