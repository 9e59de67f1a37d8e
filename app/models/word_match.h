#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>

namespace lockstep::app {

/// Whether every word is part of the text, whatever their order and case.
inline bool hasAllWords(const QString& text, const QString& words) {
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  return std::ranges::all_of(
      parts, [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace lockstep::app
