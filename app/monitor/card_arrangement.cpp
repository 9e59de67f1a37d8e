#include "app/monitor/card_arrangement.h"

#include <QRegularExpression>

#include "app/cards/tag_sections.h"

namespace lockstep::app {

void setSizes(std::vector<CardPlan>& plans, const QVariantMap& sizes) {
  static const QRegularExpression text(QStringLiteral("^([124])x([123])$"));
  for (CardPlan& plan : plans) {
    const auto size = text.match(sizes.value(cardId(plan)).toString());
    if (!size.hasMatch()) continue;
    plan.columnSpan = size.captured(1).toInt();
    plan.rowSpan = size.captured(2).toInt();
  }
}

QString sizeText(const CardSize& size) {
  return QStringLiteral("%1x%2").arg(size.columns).arg(size.rows);
}

CardSize withNextWidth(CardSize size) {
  size.columns = size.columns == 1 ? 2 : size.columns == 2 ? 4 : 1;
  return size;
}

CardSize withNextHeight(CardSize size) {
  size.rows = size.rows % 3 + 1;
  return size;
}

QStringList inOrder(const QStringList& ids, const QStringList& order) {
  QStringList chosen, result;
  for (const QString& id : order)
    if (ids.contains(id) && !chosen.contains(id)) chosen << id;
  qsizetype next = 0;
  for (const QString& id : ids) result << (chosen.contains(id) ? chosen[next++] : id);
  return result;
}

QStringList moved(QStringList ids, const QString& id, const QString& target) {
  const qsizetype from = ids.indexOf(id), to = ids.indexOf(target);
  if (from >= 0 && to >= 0) ids.move(from, to);
  return ids;
}

}  // namespace lockstep::app
