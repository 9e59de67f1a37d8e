#pragma once

#include <QStringList>
#include <QVariantMap>

namespace lockstep::app {

/// What a person chose for the cards of the runs of a folder. Cards are named by cardId(), sections
/// by their names.
struct CardSettings {
  QStringList pinned{};  ///< in their order
  QStringList hidden{};
  QStringList open{};
  QStringList folded{};      ///< sections that would be open at first
  QStringList order{};       ///< of cards that were moved, and those around them
  QVariantMap sizes{};       ///< "2x1": columns and rows of a card
  bool joinsGroups = false;  ///< the runs of a group are drawn as their mean

  QVariantMap toVariant() const {
    return {{QStringLiteral("pinned"), pinned},
            {QStringLiteral("hidden"), hidden},
            {QStringLiteral("open"), open},
            {QStringLiteral("folded"), folded},
            {QStringLiteral("order"), order},
            {QStringLiteral("sizes"), sizes},
            {QStringLiteral("joinsGroups"), joinsGroups}};
  }
  static CardSettings fromVariant(const QVariantMap& map) {
    return {map.value(QStringLiteral("pinned")).toStringList(),
            map.value(QStringLiteral("hidden")).toStringList(),
            map.value(QStringLiteral("open")).toStringList(),
            map.value(QStringLiteral("folded")).toStringList(),
            map.value(QStringLiteral("order")).toStringList(),
            map.value(QStringLiteral("sizes")).toMap(),
            map.value(QStringLiteral("joinsGroups")).toBool()};
  }
  bool operator==(const CardSettings&) const = default;
};

}  // namespace lockstep::app
