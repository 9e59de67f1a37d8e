#pragma once

#include <QStringList>
#include <QVariantMap>
#include <vector>

#include "app/cards/monitor_cards.h"

namespace lockstep::app {

/// In columns of four, and rows.
struct CardSize {
  int columns = 1, rows = 1;
  bool operator==(const CardSize&) const = default;
};

/// Gives the cards the sizes that a person chose, by cardId(): "2x1". What is no size is ignored.
void setSizes(std::vector<CardPlan>& plans, const QVariantMap& sizes);
QString sizeText(const CardSize& size);
/// 1, 2 or all four columns, in turn; 1, 2 or 3 rows.
CardSize withNextWidth(CardSize size);
CardSize withNextHeight(CardSize size);

/// The ids in the order that a person chose: those that `order` has change places among one
/// another, and the others stay.
QStringList inOrder(const QStringList& ids, const QStringList& order);
/// `id` at the place of `target`.
QStringList moved(QStringList ids, const QString& id, const QString& target);

}  // namespace lockstep::app
