// SPDX-License-Identifier: Apache-2.0
//
// One method for each part of the file. A key that was read is known; what is left of a mapping at the end is
// told.
#include "batchscope/sweep/wandb.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/text.h"

namespace batchscope::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int kTrialsWithoutCap = 100;

// Returns whether W&B would infer an integer from this bound: a number without a point.
bool is_whole(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  return text.find_first_not_of("+-0123456789") == std::string::npos;
}

class Importer {
 public:
  explicit Importer(const fs::path& file) : file_(file) {}

  Imported import() {
    const YAML::Node root = parse();
    if (!root.IsMap())
      fail(root, "this is not a sweep of Weights & Biases: expected keys such as method and parameters");
    SweepFile& sweep = imported_.sweep;
    sweep.name = root["name"] && root["name"].IsScalar() && !root["name"].Scalar().empty()
                     ? text(root["name"], "name")
                     : protocol::printable(file_.stem().string());
    read_command(root);
    read_method(root);
    read_metric(root);
    read_parameters(root);
    if (root["early_terminate"]) read_early_terminate(root["early_terminate"]);
    if (root["run_cap"])
      sweep.trials = static_cast<int>(
          std::clamp(number(root["run_cap"], "run_cap"), 1.0, double{SweepFile::kMostTrials}));
    else if (sweep.method != Method::grid) {
      sweep.trials = kTrialsWithoutCap;
      note(root,
           fmt::format("there is no run_cap, so trials is {}: change it as you like", kTrialsWithoutCap));
    }
    tell_others(
        root, "",
        {"name", "program", "command", "method", "metric", "parameters", "early_terminate", "run_cap"});
    std::ranges::stable_sort(notes_, {}, &std::pair<int, std::string>::first);
    for (auto& [line, note] : notes_) imported_.notes.push_back(std::move(note));
    return std::move(imported_);
  }

 private:
  YAML::Node parse() const {
    std::error_code error;
    if (!fs::is_regular_file(file_, error))
      throw Error(ErrorKind::not_found, "there is no sweep file " + file_.string());
    return YAML::LoadFile(file_.string());
  }

  std::string placed(const YAML::Node& at, const std::string& what) const {
    return fmt::format("{}:{}: {}", file_.string(), std::max(at.Mark().line, 0) + 1, what);
  }
  [[noreturn]] void fail(const YAML::Node& at, const std::string& what) const {
    throw Error(ErrorKind::usage, placed(at, what));
  }
  void note(const YAML::Node& at, const std::string& what) {
    notes_.emplace_back(at.Mark().line, placed(at, what));
  }

  std::string text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, fmt::format("'{}': expected a text or a number", key));
    return protocol::printable(node.Scalar());
  }
  double number(const YAML::Node& node, const std::string& key) const {
    double value = 0;
    if (node.IsScalar() && YAML::convert<double>::decode(node, value) && std::isfinite(value)) return value;
    fail(node, fmt::format("'{}': expected a number", key));
  }
  std::vector<std::string> texts(const YAML::Node& node, const std::string& key) const {
    if (!node.IsSequence()) fail(node, fmt::format("'{}': expected a list", key));
    std::vector<std::string> texts;
    for (const YAML::Node& item : node) texts.push_back(text(item, key));
    return texts;
  }

  // Notes the keys that nobody has read, and what that means.
  void tell_others(const YAML::Node& mapping, const std::string& above, const std::set<std::string>& read) {
    for (const auto& entry : mapping) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if (!read.contains(key))
        note(entry.first, fmt::format("'{}{}' has no counterpart here and is left out", above, key));
    }
  }

  // Reads what W&B calls the command: by default `/usr/bin/env python program args`.
  void read_command(const YAML::Node& root) {
    const std::string program = root["program"] ? text(root["program"], "program") : "";
    std::vector<std::string> words = fs::path(program).extension() == ".py"
                                         ? std::vector<std::string>{"python3", program}
                                         : std::vector<std::string>{program};
    if (const YAML::Node command = root["command"]) {
      words.clear();
      for (const std::string& word : texts(command, "command")) {
        if (word == "${env}" || word == "${args}" || word == "/usr/bin/env") continue;
        if (word == "${interpreter}")
          words.push_back("python3");
        else if (word == "${program}")
          words.push_back(program);
        else if (word.find("${") != std::string::npos)
          fail(command, fmt::format("'command': {} is not supported: parameters are given as --NAME VALUE, "
                                    "after all other words",
                                    word));
        else
          words.push_back(word);
      }
    }
    if (words.empty() || words.front().empty()) fail(root, "nothing is trained: give a program");
    imported_.sweep.program = words.front();
    imported_.sweep.arguments.assign(words.begin() + 1, words.end());
  }

  void read_method(const YAML::Node& root) {
    if (!root["method"]) fail(root, "'method' is missing: grid, random or bayes");
    const std::string method = text(root["method"], "method");
    if (method == "grid") {
      imported_.sweep.method = Method::grid;
    } else if (method == "random") {
      imported_.sweep.method = Method::random;
    } else if (method == "bayes") {
      note(root["method"], "'method' bayes, a Gaussian process, becomes tpe");
    } else {
      fail(root["method"], fmt::format("'method': '{}' is not one of grid, random, bayes", method));
    }
  }

  void read_metric(const YAML::Node& root) {
    const YAML::Node metric = root["metric"];
    if (!metric || !metric.IsMap() || !metric["name"])
      fail(root, "'metric' is missing: its name, and its goal");
    imported_.sweep.metric = text(metric["name"], "metric.name");
    if (imported_.sweep.metric.empty()) fail(metric, "'metric.name' is empty");
    const std::string goal = metric["goal"] ? text(metric["goal"], "metric.goal") : "minimize";
    if (goal != "minimize" && goal != "maximize")
      fail(metric["goal"], fmt::format("'metric.goal': '{}' is not one of minimize, maximize", goal));
    imported_.sweep.goal = goal == "maximize" ? Goal::max : Goal::min;
    tell_others(metric, "metric.", {"name", "goal"});
  }

  void read_parameters(const YAML::Node& root) {
    const YAML::Node parameters = root["parameters"];
    if (!parameters || !parameters.IsMap() || parameters.size() == 0)
      fail(root, "there is nothing to search: 'parameters' is missing");
    std::vector<YAML::Node> keys;
    for (const auto& entry : parameters) {
      keys.push_back(entry.first);
      imported_.sweep.parameters.push_back(read_parameter(text(entry.first, "parameters"), entry.second));
    }
    if (const auto fault = Space::fault(imported_.sweep.parameters))
      fail(keys[fault->parameter], fault->what);
    if (!imported_.sweep.searches()) fail(parameters, "there is nothing to search: every parameter is fixed");
    if (imported_.sweep.method != Method::grid) return;
    try {
      grid_size(Space(imported_.sweep.parameters));
    } catch (const Error& error) {
      fail(parameters, error.what());
    }
  }

  Parameter read_parameter(const std::string& name, const YAML::Node& node) {
    const std::string key = "parameters." + name;
    if (!node.IsMap()) fail(node, fmt::format("'{}': expected value, values, or min and max", key));
    if (node["parameters"])
      fail(node, fmt::format("'{}': nested parameters are not supported: give each a name of its own", key));
    Parameter parameter;
    parameter.name = name;
    std::string distribution = node["distribution"] ? text(node["distribution"], key + ".distribution") : "";
    if (distribution.empty()) distribution = node["value"] ? "constant" : node["values"] ? "categorical" : "";
    if (distribution == "constant" && node["value"]) {
      parameter.choices = {text(node["value"], key + ".value")};
      tell_others(node, key + ".", {"value", "distribution"});
    } else if (distribution == "categorical" && node["values"]) {
      parameter.choices = texts(node["values"], key + ".values");
      if (node["probabilities"])
        note(node["probabilities"],
             fmt::format("'{}.probabilities' is not supported: all values are equally likely", key));
      tell_others(node, key + ".", {"values", "probabilities", "distribution"});
    } else {
      read_range(key, node, distribution, parameter);
      tell_others(node, key + ".", {"min", "max", "q", "distribution"});
    }
    return parameter;
  }

  void read_range(const std::string& key, const YAML::Node& node, std::string distribution,
                  Parameter& parameter) {
    static const std::set<std::string> kKnown{
        "uniform",         "int_uniform",           "q_uniform", "log_uniform", "log_uniform_values",
        "inv_log_uniform", "inv_log_uniform_values"};
    if (!distribution.empty() && !kKnown.contains(distribution))
      fail(node,
           fmt::format(
               "'{}': the distribution '{}' is not supported: use one of constant, categorical, uniform, "
               "int_uniform, q_uniform, log_uniform, log_uniform_values",
               key, distribution));
    if (!node["min"] || !node["max"])
      fail(node, fmt::format("'{}': expected value, values, or min and max", key));
    parameter.min = number(node["min"], key + ".min");
    parameter.max = number(node["max"], key + ".max");
    const bool whole = is_whole(node["min"]) && is_whole(node["max"]);
    if (distribution.empty()) distribution = whole ? "int_uniform" : "uniform";
    parameter.kind = distribution == "int_uniform" ? Parameter::Kind::integer : Parameter::Kind::real;
    if (distribution == "q_uniform") {
      parameter.step = node["q"] ? number(node["q"], key + ".q") : 1;
      if (whole && *parameter.step == std::floor(*parameter.step)) parameter.kind = Parameter::Kind::integer;
    }
    parameter.log = distribution.find("log_uniform") != std::string::npos;
    if (distribution == "log_uniform") {  // bounds are exponents
      parameter.min = std::exp(parameter.min);
      parameter.max = std::exp(parameter.max);
    } else if (distribution == "inv_log_uniform") {  // of 1 / x
      std::swap(parameter.min, parameter.max);
      parameter.min = std::exp(-parameter.min);
      parameter.max = std::exp(-parameter.max);
    }
  }

  // Hyperband: https://docs.wandb.ai, early_terminate.
  void read_early_terminate(const YAML::Node& node) {
    const std::string type = node.IsMap() && node["type"] ? text(node["type"], "early_terminate.type") : "";
    if (type != "hyperband") {
      note(node,
           fmt::format("'early_terminate': '{}' is not supported: every trial is trained to its end", type));
      return;
    }
    StopRule& rule = imported_.sweep.stop;
    rule.kind = StopRule::Kind::asha;
    if (node["eta"]) rule.eta = number(node["eta"], "early_terminate.eta");
    if (!(rule.eta > 1)) fail(node, "'early_terminate.eta' must be above 1");
    if (node["max_iter"]) {
      rule.max = number(node["max_iter"], "early_terminate.max_iter");
      if (node["s"]) rule.min = *rule.max / std::pow(rule.eta, number(node["s"], "early_terminate.s"));
    }
    if (node["min_iter"]) rule.min = number(node["min_iter"], "early_terminate.min_iter");
    if (!node["min_iter"] && !(node["max_iter"] && node["s"]))
      fail(node, "'early_terminate': expected min_iter, or max_iter and s");
    if (!(rule.min > 0) || (rule.max && !(*rule.max > rule.min)))
      fail(node, "'early_terminate': its first iteration must be above 0 and below max_iter");
    note(node,
         "'early_terminate' hyperband becomes asha, whose min and max are scale-invariant iterations, where "
         "W&B "
         "counts calls of log(): check min and max");
    tell_others(node, "early_terminate.", {"type", "min_iter", "max_iter", "s", "eta"});
  }

  const fs::path& file_;
  Imported imported_;
  std::vector<std::pair<int, std::string>> notes_;  // with their lines
};

}  // namespace

Imported import_wandb(const fs::path& file) {
  try {
    return Importer(file).import();
  } catch (const YAML::Exception& fault) {  // of nodes that only look like what is asked of them
    throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file.string(), fault.mark.line + 1, fault.msg));
  }
}

}  // namespace batchscope::sweep
