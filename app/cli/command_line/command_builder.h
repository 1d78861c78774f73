// SPDX-License-Identifier: Apache-2.0
//
// Declares commands: the arguments and flags of each, and the member of its options into which each value
// goes. The command's function is called with these options.
//
//     declare(set, "tail", say("Follow the values of a run"), help::kTail, tailRun)
//         .run()
//         .option("SERIES", &TailOptions::series, say("The series to follow; default: loss"), Values::series)
//         .option("-n,--lines N", &TailOptions::lines, say("Begin N steps before the newest"), range(0, 100))
//         .flag("--once", &TailOptions::once, say("Do not wait for more"))
//         .json();
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "command_line/command_set.h"
#include "text/say.h"

namespace batchscope::cli {

using Values = CommandSet::Values;

// How an option is taken.
enum class Takes {
  required,
  repeated,   // once for each value, so that a list does not take the next word
  separated,  // several values, separated by commas
  empty,      // accepts "" as a value
};

// Only these words.
struct OneOf {
  std::vector<std::string> words;
};

template <class Number>
CLI::Validator range(Number least, Number most) {
  return CLI::Range(least, most).description("");
}

template <class Options>
class CommandBuilder {
 public:
  CommandBuilder(CommandSet& set, CLI::App* app, std::shared_ptr<Options> options)
      : set_(set), app_(app), options_(std::move(options)) {}

  CLI::App* app() const { return app_; }
  const std::shared_ptr<Options>& options() const { return options_; }

  // Adds an option. `name` is a positional's NAME, or flags with the name of their value, as in "-n,--lines
  // N". `traits` are Values or OneOf (the values that it accepts), a CLI::Validator, or Takes.
  template <class Member, class... Traits>
  CommandBuilder& option(const std::string& name, Member member, const std::string& description,
                         const Traits&... traits) {
    const auto space = name.find(' ');
    CLI::Option* option = app_->add_option(name.substr(0, space), (*options_).*member, description);
    option->type_name(space == std::string::npos ? "" : name.substr(space + 1));
    (apply(option, traits), ...);
    return *this;
  }

  CommandBuilder& flag(const std::string& name, bool Options::*member, const std::string& description) {
    app_->add_flag(name, (*options_).*member, description);
    return *this;
  }

  CommandBuilder& json(const std::string& description = say("Answer in JSON")) {
    app_->add_flag("--json", options_->json, description);
    return *this;
  }

  // Adds the positional RUN.
  CommandBuilder& run(Values values = Values::runs) { return run(&Options::run, values); }
  template <class Member>
  CommandBuilder& run(Member member, Values values = Values::runs) {
    return option("RUN", member, say("\"latest\", or a prefix of id or name"), Takes::required, values);
  }

 private:
  void apply(CLI::Option* option, Values values) { set_.setValues(option, values); }
  void apply(CLI::Option* option, const OneOf& one) { set_.limitTo(option, one.words); }
  void apply(CLI::Option* option, const CLI::Validator& validator) { option->check(validator); }
  void apply(CLI::Option* option, Takes takes) {
    switch (takes) {
      case Takes::required: option->required(); break;
      case Takes::separated: option->delimiter(','); [[fallthrough]];
      case Takes::repeated: option->allow_extra_args(false); break;
      case Takes::empty: set_.allowEmpty(option); break;
    }
  }

  CommandSet& set_;
  CLI::App* app_;
  std::shared_ptr<Options> options_;
};

template <class Options>
CommandBuilder<Options> declare(CommandSet& set, const std::string& name, const std::string& description,
                                const char* footer, int (*function)(const Options&)) {
  const auto options = std::make_shared<Options>();
  return {set, set.add(name, description, footer, [=] { return function(*options); }), options};
}

}  // namespace batchscope::cli
