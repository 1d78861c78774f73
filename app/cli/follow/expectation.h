// SPDX-License-Identifier: Apache-2.0
//
// `--expect 'accuracy>=0.97'`: a claim about a run that has ended, compared with what it recorded. A name is
// that of a series, of which the last value counts, or generations, epochs, replicas, step or state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/comparison.h"

namespace batchscope::cli {

struct Expectation {
  std::string name;
  Comparator op = Comparator::equal;
  std::string value;  // as written
  double number = 0;  // of value; unused for state

  // Parses "NAME OP VALUE" with OP one of >= <= > < == !=, spaces optional. A value is a number; for `state`
  // it is a run state (with == and != only). Throws Error(usage) quoting the text.
  static Expectation parse(const std::string& text);
  std::string text() const;
};

// Facts about the run with which expectations are compared.
struct Facts {
  std::string state;
  std::map<std::string, double> numbers;
};

struct Verdict {
  Expectation expectation;
  std::string seen;  // the value, or "nothing" if the run has none of that name
  bool passed = false;
};

std::vector<Verdict> judge(const std::vector<Expectation>& expectations, const Facts& facts);

bool allPassed(const std::vector<Verdict>& verdicts);

// Returns whether the run ended in a state that an expectation asked for.
bool stateWasExpected(const std::vector<Verdict>& verdicts);

}  // namespace batchscope::cli
