#pragma once

#include <QRegularExpression>
#include <QString>

namespace lockstep::app {

inline constexpr QLatin1StringView kTryLimit("(*LIMIT_MATCH=20000)");

/// A user's regular expression. PCRE2 could try (a+)+$ for hours; with the limit it finds nothing.
inline QRegularExpression boundedExpression(const QString& text,
                                            QRegularExpression::PatternOptions options = {}) {
  return QRegularExpression(kTryLimit + text, options);
}

/// Index of the invalid character in the user's text.
inline qsizetype errorOffset(const QRegularExpression& bounded) {
  return bounded.patternErrorOffset() - kTryLimit.size();
}

}  // namespace lockstep::app
