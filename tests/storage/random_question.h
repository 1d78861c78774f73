// SPDX-License-Identifier: Apache-2.0
//
// Questions about samples made by chance, in the grammar of what people ask: conditions of every kind on
// every column, joins, orders, groups, windows and questions within questions. Where rows come in no order
// that is asked for, or several are equal in it, a question selects only what must be the same in any answer.
#pragma once

#include <array>
#include <random>
#include <string>
#include <vector>

namespace batchscope::storage::test {

struct Question {
  std::string sql;
  bool is_ordered = false;  // the answer's rows have their places
};

class RandomQuestions {
 public:
  RandomQuestions(std::uint64_t seed, std::vector<std::string> runs, std::vector<std::string> series)
      : random_(seed), runs_(std::move(runs)), series_(std::move(series)) {}

  Question next() {
    switch (below(9)) {
      case 0: return {"SELECT * FROM sample s WHERE " + conditions("s")};
      case 1:
        return {"SELECT " + some("s") + ", count(*), max(s.step), sum(s.value) FROM sample s WHERE " +
                conditions("s") + " GROUP BY 1, 2"};
      case 2: return {"SELECT DISTINCT " + some("s") + " FROM sample s WHERE " + conditions("s")};
      case 3: return ordered();
      case 4: return joined();
      case 5: return {"SELECT min(step), max(step), count(value) FROM sample s WHERE " + conditions("s")};
      case 6:
        return {"SELECT count(*) OVER (PARTITION BY " + some("s") + " ORDER BY s.step RANGE BETWEEN " +
                std::to_string(below(50)) + " PRECEDING AND CURRENT ROW), s.step FROM sample s WHERE " +
                conditions("s")};
      case 7:
        return {
            "SELECT s.series, count(*) FROM sample s WHERE s.step = (SELECT max(step) FROM sample t WHERE "
            "t.series = s.series AND t.run = s.run" +
            std::string(below(2) ? " AND t.generation = s.generation" : "") + ") AND s.generation < 2 AND " +
            condition("s") + " GROUP BY 1"};
      default:
        return {
            "SELECT count(*), sum(k.n) FROM (SELECT 3 AS n UNION ALL SELECT 1023 UNION ALL SELECT 1024.0 "
            "UNION ALL SELECT '1025') k LEFT JOIN sample s ON s.step " +
            one_of({"=", ">", "<=", "IS"}) + " k.n AND " + conditions("s")};
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::string one_of(const std::vector<std::string>& words) { return words[below(words.size())]; }
  std::string quoted(const std::string& text) { return "'" + text + "'"; }

  // Two columns that tell tracks apart.
  std::string some(const std::string& table) {
    static const std::vector<std::string> kColumns{"run", "series", "generation"};
    return table + "." + one_of(kColumns) + ", " + table + "." + one_of(kColumns);
  }

  std::string step() {
    static const std::vector<std::string> kOdd{"0",
                                               "1024",
                                               "1025",
                                               "-1",
                                               "10.5",
                                               "'500'",
                                               "'x'",
                                               "NULL",
                                               "1e30",
                                               "-1e30",
                                               "2048.0",
                                               "x'00'",
                                               "9223372036854775807",
                                               "(SELECT 7)"};
    return below(3) ? std::to_string(below(3000)) : one_of(kOdd);
  }

  std::string condition(const std::string& table, bool is_nested = false) {
    const auto column = [&](const char* name) { return table + "." + name; };
    switch (below(14)) {
      case 0: return column("run") + " = " + quoted(one_of(runs_));
      case 1:
      case 2: return column("series") + " = " + quoted(one_of(series_));
      case 3:
        return column("series") + " IN (" + quoted(one_of(series_)) + ", " + quoted(one_of(series_)) + ")";
      case 4:
        return column("generation") + one_of({" = ", " IS ", " <= ", " <> "}) +
               one_of({"0", "1", "2", "'1'", "1.5"});
      case 5:
      case 6: return column("step") + " " + one_of({"=", "<", "<=", ">", ">=", "<>", "IS"}) + " " + step();
      case 7: return column("step") + " BETWEEN " + step() + " AND " + step();
      case 8: return column("step") + " IN (" + step() + ", " + step() + ", " + step() + ")";
      case 9: return column("value") + one_of({" > 3", " IS NULL", " = 1"});
      case 10:  // in an OR, SQLite itself takes another collation as soon as there is an index
        return is_nested ? "1" : column("series") + " = 'LOSS' COLLATE NOCASE";
      case 11: return column("series") + one_of({" LIKE 'l%'", " > 'gain'", " = 5"});
      case 12: return "abs(" + column("value") + ") < 5";
      default: return "(" + condition(table, true) + " OR " + condition(table, true) + ")";
    }
  }

  std::string conditions(const std::string& table) {
    std::string text = condition(table);
    for (std::size_t more = below(3); more > 0; --more) text += " AND " + condition(table);
    return text;
  }

  Question ordered() {
    static const std::array<const char*, 4> kNatural{"run", "series", "generation", "step"};
    std::string columns, order;
    const std::string direction = one_of({"", "", " DESC"});
    for (std::size_t i = below(4); i < kNatural.size(); ++i) {
      if (below(6) == 0) continue;
      columns += (columns.empty() ? "" : ", ") + std::string(kNatural[i]);
      order += (order.empty() ? "" : ", ") + std::string(kNatural[i]) + (below(8) ? direction : " DESC");
    }
    if (columns.empty()) columns = order = "step";
    return {"SELECT " + columns + " FROM sample s WHERE " + conditions("s") + " ORDER BY " + order +
                (below(2) ? " LIMIT " + std::to_string(1 + below(20)) : ""),
            true};
  }

  Question joined() {
    std::string on = "a.step = b.step";
    if (below(2)) on += " AND a.series = b.series";
    if (below(2)) on += " AND a.generation = b.generation";
    if (below(2)) on += " AND a.run = b.run";
    std::string sql = "SELECT count(*), sum(a.value), sum(b.value), max(a.step) FROM sample a " +
                      one_of({"JOIN", "LEFT JOIN"}) + " sample b ON " + on + " AND " + condition("b");
    if (below(3) == 0) sql += " JOIN sample c ON c.step = a.step AND c.run = b.run AND " + conditions("c");
    return {sql + " WHERE " + conditions("a")};
  }

  std::mt19937_64 random_;
  std::vector<std::string> runs_, series_;
};

}  // namespace batchscope::storage::test
