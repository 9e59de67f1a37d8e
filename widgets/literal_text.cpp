#include "widgets/literal_text.h"

#include <algorithm>
#include <utility>

namespace lockstep::widgets {
namespace {

constexpr QChar kZeroWidthSpace(0x200b);

/// Embeddings, overrides and isolates.
bool turnsDirection(QChar letter) {
  return (letter >= QChar(0x202a) && letter <= QChar(0x202e)) ||
         (letter >= QChar(0x2066) && letter <= QChar(0x2069));
}

bool isControl(QChar letter) {
  return letter.category() == QChar::Other_Control || letter == QChar::LineSeparator ||
         letter == QChar::ParagraphSeparator;
}

QChar inert(QChar letter) {
  if (turnsDirection(letter)) return kZeroWidthSpace;
  const bool stays = letter == u'\n' || letter == u'\t' || !isControl(letter);
  return stays ? letter : QChar(u' ');
}

}  // namespace

QString inertText(QString text) {
  const auto isInert = [](QChar letter) { return inert(letter) == letter; };
  if (!std::ranges::all_of(std::as_const(text), isInert))
    std::ranges::transform(text, text.begin(), inert);
  return text;
}

}  // namespace lockstep::widgets
