#pragma once

#include <QRegularExpression>
#include <QString>

namespace lockstep::app {

inline constexpr QLatin1StringView kTryLimit("(*LIMIT_MATCH=20000)");

/// A user's regular expression. PCRE2 would try (a+)+$ for ever: with the limit it gives up and
/// finds nothing.
inline QRegularExpression boundedExpression(const QString& text,
                                            QRegularExpression::PatternOptions options = {}) {
  return QRegularExpression(kTryLimit + text, options);
}

/// Character of the user's text at which it is invalid, from 0.
inline qsizetype errorOffset(const QRegularExpression& bounded) {
  return bounded.patternErrorOffset() - kTryLimit.size();
}

}  // namespace lockstep::app
