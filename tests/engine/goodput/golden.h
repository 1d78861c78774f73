// SPDX-License-Identifier: Apache-2.0
//
// The golden vectors: a file of the folder BATCHSCOPE_GOLDEN_DIR, or of tests/golden.
#pragma once

#include <QByteArray>
#include <QTest>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "batchscope/goodput.h"

namespace batchscope::golden {

inline std::string path(const std::string& name) {
  const char* folder = std::getenv("BATCHSCOPE_GOLDEN_DIR");
  return std::string(folder != nullptr ? folder : BATCHSCOPE_GOLDEN_DEFAULT) + "/" + name;
}

inline nlohmann::json load(const std::string& name) {
  std::ifstream file(path(name));
  if (!file) throw std::runtime_error("golden vectors: cannot open " + path(name));
  return nlohmann::json::parse(file);
}

// The files of recorded trajectories of a name: NAME.json, and NAME_further.json, which a set may lack.
inline std::vector<std::string> trajectory_files(const std::string& name) {
  const std::string further = name + "_further.json";
  if (std::filesystem::exists(path(further))) return {name + ".json", further};
  qInfo("golden vectors: this set has no %s", further.c_str());
  return {name + ".json"};
}

// A row of data for each of their trajectories, and the one of the present row.
inline void trajectory_rows(const std::string& name) {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<int>("index");
  for (const std::string& file : trajectory_files(name)) {
    int index = 0;
    const nlohmann::json all = load(file);
    for (const auto& trajectory : all.at("trajectories"))
      QTest::newRow(trajectory["config"]["name"].get<std::string>().c_str()) << file << index++;
  }
}

inline nlohmann::json trajectory(const std::string& file, int index) {
  return load(file).at("trajectories").at(static_cast<std::size_t>(index));
}

inline bool close(double actual, double expected, double relative = 1e-9) {
  return std::abs(actual - expected) <= relative * std::max(1e-300, std::abs(expected));
}

// Returns the message of a failed comparison.
inline QByteArray differ(const std::string& what, double actual, double expected) {
  return QByteArray::fromStdString(what) + ": " + QByteArray::number(actual, 'g', 17) + ", expected " +
         QByteArray::number(expected, 'g', 17);
}

inline goodput::PerfParams perf_params(const nlohmann::json& json) {
  return {json.at("alpha_c"), json.at("beta_c"), json.at("alpha_n"), json.at("beta_n"),
          json.at("alpha_r"), json.at("beta_r"), json.at("gamma")};
}

}  // namespace batchscope::golden

#define VERIFY_CLOSE(what, actual, expected) \
  QVERIFY2(batchscope::golden::close(actual, expected), batchscope::golden::differ(what, actual, expected))
