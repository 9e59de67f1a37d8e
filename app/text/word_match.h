#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>

#include "app/text/bounded_expression.h"

namespace lockstep::app {

/// Whether every word is part of the text, whatever their order and case; of "/lr|AP/", whether the
/// regular expression is found in it.
inline bool hasAllWords(const QString& text, const QString& words) {
  if (words.size() > 2 && words.startsWith(u'/') && words.endsWith(u'/')) {
    const QRegularExpression pattern = boundedExpression(words.mid(1, words.size() - 2),
                                                         QRegularExpression::CaseInsensitiveOption);
    return pattern.isValid() && text.contains(pattern);
  }
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  return std::ranges::all_of(
      parts, [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace lockstep::app
