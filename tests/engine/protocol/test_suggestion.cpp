// SPDX-License-Identifier: Apache-2.0
//
// Suggestions for mistyped words.
#include "batchscope/protocol/suggestion.h"
#include "test_case.h"

using batchscope::protocol::did_you_mean;
using batchscope::protocol::nearest_word;

class TestSuggestion : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theFewestEditsWin() {
    const std::vector<std::string> known{"--replicas", "--report", "--recipe", "--json"};
    QCOMPARE(nearest_word("--replica", known), std::string("--replicas"));
    QCOMPARE(nearest_word("--jsno", known), std::string("--json"));
    QCOMPARE(did_you_mean("--jsno", known), std::string("; did you mean --json?"));
  }

  void whatIsFarAwayIsNotSuggested() {
    QCOMPARE(nearest_word("--colour", {"--json"}), std::string());
    QCOMPARE(did_you_mean("x", {}), std::string());
    QCOMPARE(nearest_word(std::string(100, 'a'), {std::string(100, 'a')}), std::string());
  }
};

BATCHSCOPE_TEST(TestSuggestion)
#include "test_suggestion.moc"
