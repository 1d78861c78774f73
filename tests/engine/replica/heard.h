// SPDX-License-Identifier: Apache-2.0
//
// All that a program tells its supervisor, once the program has ended.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "generations.h"
#include "listener.h"

namespace batchscope::testing {

class Heard {
 public:
  // Runs the program's next generation, whose supervisor listens.
  template <class Work>
  Heard(Program& program, Work work, int replicas = 1) {
    const std::string path = program.path(("telemetry-" + std::to_string(++lines_)).c_str());
    TelemetryListener supervisor(path);
    program.variables[protocol::variable::kTelemetrySocket] = path;
    ended = program.run_replicas(replicas, work);
    messages.resize(ended.size());
    while (supervisor.is_called()) {
      supervisor.accept();
      auto said = supervisor.read_until([](const auto&) { return false; });
      supervisor.hang_up();
      const auto rank = static_cast<std::size_t>(std::get<protocol::Hello>(said.at(0)).rank);
      messages.at(rank) = std::move(said);
    }
  }

  // The messages of a kind, in their order, of rank 0 unless another is asked for.
  template <class Kind>
  std::vector<Kind> of(std::size_t rank = 0) const {
    std::vector<Kind> all;
    for (const protocol::Message& message : messages.at(rank))
      if (const Kind* one = std::get_if<Kind>(&message)) all.push_back(*one);
    return all;
  }
  // The same, each as a text.
  template <class Kind, class Text>
  std::string text_of(Text text) const {
    std::string all;
    for (const Kind& one : of<Kind>()) all += text(one) + "\n";
    return all;
  }
  // Values that were told of steps, in rows or by themselves.
  std::map<std::int64_t, double> values(const std::string& name) const {
    std::map<std::int64_t, double> all;
    for (const auto& scalar : of<protocol::Scalar>())
      if (scalar.name == name) all[scalar.step] = scalar.value;
    for (const auto& steps : of<protocol::Steps>())
      if (const auto found = steps.columns.find(name); found != steps.columns.end())
        for (std::size_t i = 0; i < found->second.size(); ++i)
          all[steps.first_step + static_cast<std::int64_t>(i)] = found->second[i];
    return all;
  }
  // A column of the steps' rows.
  std::vector<double> column(const std::string& name) const {
    std::vector<double> values;
    for (const auto& steps : of<protocol::Steps>())
      if (const auto found = steps.columns.find(name); found != steps.columns.end())
        values.insert(values.end(), found->second.begin(), found->second.end());
    return values;
  }

  std::vector<Program::Ended> ended;                     // by rank
  std::vector<std::vector<protocol::Message>> messages;  // by rank

 private:
  static inline int lines_ = 0;  // so far
};

}  // namespace batchscope::testing
