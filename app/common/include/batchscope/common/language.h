// SPDX-License-Identifier: Apache-2.0
/// \file
/// The language of the interface. The texts stand in the code in English, and a translation is a file of Qt's
/// (.qm) that has each of them once, whatever place asks for it: window, terminal and page share it.
/// `./dev words` makes the table that is translated.
#pragma once

#include <QString>

namespace batchscope::common {

/// Translates the texts of this process from now on, by batchscope_LANGUAGE.qm in the folder BATCHSCOPE_WORDS
/// or in share/batchscope/words beside the programs. LANGUAGE is BATCHSCOPE_LANGUAGE, else one of those that
/// the system prefers. The texts stay in English where there is no such file. Call it once, when there is an
/// application object and before texts are made. Blocks while it reads the file. Throws Error(usage) where
/// BATCHSCOPE_LANGUAGE names a language that is not there.
void chooseLanguage();

/// Returns the language that chooseLanguage() has chosen, as HTML names it, such as "de" or "pt-BR"; else
/// "en".
QString chosenLanguage();

/// Returns the path of the page's words in that language: batchscope_LANGUAGE.json beside the .qm, an object
/// of translations by the English texts. It need not exist. Empty where the texts are in English.
QString chosenWords();

}  // namespace batchscope::common
