// SPDX-License-Identifier: Apache-2.0
#include "grammar.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace batchscope::examples {
namespace {

constexpr std::size_t kSubjects = 6, kNouns = 24, kVerbs = 12, kAdjectives = 10;

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {
    for (auto& subject : subjects_) {
      for (std::size_t i = 0; i < kNouns; ++i) subject.nouns.push_back(invent());
      for (std::size_t i = 0; i < kVerbs; ++i) subject.verbs.push_back(invent());
      for (std::size_t i = 0; i < kAdjectives; ++i) subject.adjectives.push_back(invent());
    }
  }

  std::string write(std::size_t words) {
    while (words_ < words) {
      if (one_in(8)) subject_ = below(kSubjects);
      sentence();
    }
    return std::move(text_);
  }

 private:
  struct Subject {
    std::vector<std::string> nouns, verbs, adjectives;
  };

  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  // The smallest of three draws: the first words most often.
  const std::string& pick(const std::vector<std::string>& words) {
    return words[std::min({below(words.size()), below(words.size()), below(words.size())})];
  }

  // A word of two or three syllables that there is not yet.
  std::string invent() {
    constexpr std::string_view consonants = "bdfgklmnprstvz", vowels = "aeiou";
    for (;;) {
      std::string word;
      for (std::size_t i = 2 + below(2); i > 0; --i) {
        word += consonants[below(consonants.size())];
        word += vowels[below(vowels.size())];
      }
      if (invented_.insert(word).second) return word;
    }
  }

  void say(std::string_view word, std::string_view ending = "") {
    text_.append(word).append(ending) += ' ';
    ++words_;
  }

  void noun_phrase(bool plural) {
    const Subject& subject = subjects_[subject_];
    say(plural ? (one_in(3) ? "many" : "the") : (one_in(3) ? "a" : "the"));
    for (int i = 0; i < 2 && one_in(3); ++i) say(pick(subject.adjectives));
    say(pick(subject.nouns), plural ? "s" : "");
  }

  void verb_phrase(bool plural) {
    say(pick(subjects_[subject_].verbs), plural ? "" : "s");
    if (!one_in(4)) noun_phrase(one_in(2));
  }

  void sentence() {
    const bool plural = one_in(2);
    noun_phrase(plural);
    if (one_in(4)) {  // the verb agrees with what stands before this clause
      say("that");
      verb_phrase(plural);
      say(",");
    }
    verb_phrase(plural);
    if (one_in(5)) {
      say(one_in(2) ? "and" : "but");
      verb_phrase(plural);
    }
    say(".");
    text_.back() = '\n';
    ++words_;  // the end of the line
  }

  std::mt19937_64 random_;
  std::set<std::string> invented_;
  std::array<Subject, kSubjects> subjects_;
  std::size_t subject_ = 0, words_ = 0;
  std::string text_;
};

}  // namespace

std::string written_text(std::uint64_t seed, std::size_t words) { return Writer(seed).write(words); }

}  // namespace batchscope::examples
