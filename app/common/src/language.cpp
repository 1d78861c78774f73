// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>

#include "batchscope/protocol/error.h"

namespace batchscope::common {
namespace {

constexpr char kContext[] = "batchscope";  // of all texts in a table
constexpr char kEnglish[] = "en";

// Qt asks for a text by the class that shows it as well. The table has no classes, so that each text is
// translated once.
class Words : public QTranslator {
 public:
  using QTranslator::QTranslator;
  QString translate(const char*, const char* text, const char*, int n) const override {
    return QTranslator::translate(kContext, text, nullptr, n);
  }
};

struct Chosen {
  QString language = QLatin1String(kEnglish), words;
};

Chosen& chosen() {
  static Chosen only;
  return only;
}

QStringList folders() {
  QStringList all{
      QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("../share/batchscope/words")),
      QStringLiteral("/usr/share/batchscope/words")};
  if (const QString own = qEnvironmentVariable("BATCHSCOPE_WORDS"); !own.isEmpty()) all.prepend(own);
  return all;
}

bool load(Words& words, const QString& language) {
  const QString file = QStringLiteral("batchscope_") + language;
  return std::ranges::any_of(folders(), [&](const QString& folder) { return words.load(file, folder); });
}

}  // namespace

void chooseLanguage() {
  const auto words = new Words(QCoreApplication::instance());
  const QString asked = qEnvironmentVariable("BATCHSCOPE_LANGUAGE");
  for (const QString& language : asked.isEmpty() ? QLocale::system().uiLanguages() : QStringList{asked}) {
    if (language.startsWith(QLatin1String(kEnglish))) return;
    if (load(*words, language)) {
      QCoreApplication::installTranslator(words);
      const QFileInfo file(words->filePath());
      chosen() = {QString(language).replace(QLatin1Char('_'), QLatin1Char('-')),
                  file.dir().filePath(file.completeBaseName() + QStringLiteral(".json"))};
      return;
    }
  }
  if (!asked.isEmpty())
    throw Error(ErrorKind::usage, "BATCHSCOPE_LANGUAGE: there is no translation \"" + asked.toStdString() +
                                      "\" in " + folders().join(QStringLiteral(" or ")).toStdString() +
                                      "; unset it for English");
}

QString chosenLanguage() { return chosen().language; }

QString chosenWords() { return chosen().words; }

}  // namespace batchscope::common
