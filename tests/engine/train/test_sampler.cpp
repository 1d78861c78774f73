// SPDX-License-Identifier: Apache-2.0
//
// The sampler's order against AdaptDL's, recorded.
#include <QTest>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "batchscope/protocol/error.h"
#include "batchscope/train/elastic_sampler.h"

using batchscope::ElasticSampler;
using nlohmann::json;

namespace {

json golden() {
  const char* folder = std::getenv("BATCHSCOPE_GOLDEN_DIR");
  std::ifstream in(std::string(folder ? folder : BATCHSCOPE_GOLDEN_DEFAULT) + "/sampler.json");
  return json::parse(in);
}

}  // namespace

class SamplerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void seeds_are_pythons_tuple_hashes() {
    const json vectors = golden();
    QVERIFY(!vectors.at("tuple_hash_seeds").empty());
    for (const json& row : vectors.at("tuple_hash_seeds"))
      QCOMPARE(QString::number(ElasticSampler::seed(row.at("epoch"), row.at("pass_number"))),
               QString::fromStdString(row.at("seed_uint64")));
  }

  void every_recorded_case() {
    const json vectors = golden();
    QVERIFY(!vectors.at("cases").empty());
    for (const json& row : vectors.at("cases")) {
      const int replicas = row.at("num_replicas");
      for (int rank = 0; rank < replicas; ++rank) {
        ElasticSampler sampler(row.at("dataset_size"), replicas, rank, row.at("shuffle"));
        sampler.set_epoch(row.at("epoch"), row.at("index"));
        const auto indices = sampler.indices();
        QCOMPARE(sampler.length(), row.at("length").get<std::int64_t>());
        QCOMPARE(std::ssize(indices), sampler.length());
        const json& expected = row.at("indices_by_rank").at(static_cast<std::size_t>(rank));
        if (expected.is_null()) {
          // AdaptDL fails here: more replicas than samples. Ours pads with what there is.
          QVERIFY(indices.front() >= 0 && indices.front() < row.at("dataset_size").get<std::int64_t>());
        } else {
          QCOMPARE(indices, expected.get<std::vector<std::int64_t>>());
        }
      }
    }
  }

  void large_permutations() {
    for (const json& row : golden().at("big_permutations")) {
      const auto order =
          ElasticSampler::permutation(row.at("dataset_size"), row.at("epoch"), row.at("pass_number"), true);
      const auto first = row.at("first32").get<std::vector<std::int64_t>>();
      const auto last = row.at("last32").get<std::vector<std::int64_t>>();
      QVERIFY(std::equal(first.begin(), first.end(), order.begin()));
      QVERIFY(std::equal(last.rbegin(), last.rend(), order.rbegin()));
    }
  }

  void refuses_what_makes_no_sense() {
    QVERIFY_EXCEPTION_THROWN(ElasticSampler(0, 1, 0, true), batchscope::Error);
    QVERIFY_EXCEPTION_THROWN(ElasticSampler(5, 2, 2, true), batchscope::Error);
  }
};

QTEST_APPLESS_MAIN(SamplerTest)
#include "test_sampler.moc"
