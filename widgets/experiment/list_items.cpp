#include "widgets/experiment/list_items.h"

#include <algorithm>

#include "widgets/experiment/field_words.h"
#include "widgets/experiment/value_steps.h"

namespace lockstep::widgets {
namespace {

/// Where an item is, without the blanks around it.
struct ItemSpan {
  qsizetype begin = 0, end = 0;
};

ItemSpan trimmed(const QString& text, ItemSpan span) {
  while (span.begin < span.end && text[span.begin].isSpace()) ++span.begin;
  while (span.end > span.begin && text[span.end - 1].isSpace()) --span.end;
  return span;
}

/// Between the commas of the outermost list; quoted text and inner lists stay whole. An empty list
/// has none.
QList<ItemSpan> spansOf(const QString& text) {
  const ItemSpan all = trimmed(text, {0, text.size()});
  const bool hasBracket = all.begin < all.end && text[all.begin] == u'[';
  const qsizetype inner = hasBracket ? all.begin + 1 : all.begin;
  QList<ItemSpan> spans;
  QChar quote;
  int depth = 0;
  qsizetype begin = inner, at = inner;
  for (; at < all.end; ++at) {
    const QChar sign = text[at];
    if (!quote.isNull()) {
      if (sign == quote) quote = QChar();
    } else if (sign == u'"' || sign == u'\'') {
      quote = sign;
    } else if (sign == u'[') {
      ++depth;
    } else if (sign == u']' && depth-- == 0) {
      break;
    } else if (sign == u',' && depth == 0) {
      spans.append(trimmed(text, {begin, at}));
      begin = at + 1;
    }
  }
  const ItemSpan last = trimmed(text, {begin, at});
  if (!spans.isEmpty() || last.begin < last.end) spans.append(last);
  return spans;
}

/// The item at the cursor, or the last before it; -1: there is none.
qsizetype indexAt(const QList<ItemSpan>& spans, qsizetype cursor) {
  const auto after =
      std::ranges::find_if(spans, [cursor](const ItemSpan& span) { return span.begin > cursor; });
  return std::max<qsizetype>(after - spans.begin() - 1, spans.isEmpty() ? -1 : 0);
}

QString newItem(const config::Field& field, const QList<QString>& items, qsizetype index) {
  if (index < 0) {
    const std::string usual = field.defaultText();
    const bool isWord = isWordOf(field, usual);
    return isWord ? QString() : TypedList{QString::fromStdString(usual)}.items().value(0);
  }
  const QString& item = items[index];
  if (following(field, {}, item).isEmpty()) return {};
  if (index + 1 < items.size()) return between(field, item, items[index + 1]);
  return following(field, items.value(index - 1), item);
}

TypedList listOf(const QList<QString>& items, qsizetype index) {
  TypedList list{QStringLiteral("["), 1};
  for (qsizetype i = 0; i < items.size(); ++i) {
    if (i > 0) list.text += QStringLiteral(", ");
    if (i == index) list.cursor = list.text.size();
    list.text += items[i];
  }
  list.text += u']';
  return list;
}

}  // namespace

QList<QString> TypedList::items() const {
  QList<QString> all;
  for (const ItemSpan& span : spansOf(text))
    all.append(text.sliced(span.begin, span.end - span.begin));
  return all;
}

TypedList withItemAdded(const config::Field& field, const TypedList& list) {
  QList<QString> items = list.items();
  const qsizetype index = indexAt(spansOf(list.text), list.cursor);
  items.insert(index + 1, newItem(field, items, index));
  return listOf(items, index + 1);
}

TypedList withItemRemoved(const TypedList& list) {
  QList<QString> items = list.items();
  const qsizetype index = indexAt(spansOf(list.text), list.cursor);
  if (index < 0) return list;
  items.removeAt(index);
  return listOf(items, std::min(index, items.size() - 1));
}

TypedList withItemStepped(const config::Field& field, const TypedList& list, int steps) {
  QList<QString> items = list.items();
  const qsizetype index = indexAt(spansOf(list.text), list.cursor);
  if (index < 0) return list;
  items[index] = stepped(field, items[index], steps);
  return listOf(items, index);
}

}  // namespace lockstep::widgets
