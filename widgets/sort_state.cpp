#include "widgets/sort_state.h"

#include <QHeaderView>

namespace lockstep::widgets {
namespace {

const QString kColumn = QStringLiteral("column"), kIsFalling = QStringLiteral("isFalling");

}  // namespace

QVariantMap sortState(const QHeaderView& header) {
  return {{kColumn, header.sortIndicatorSection()},
          {kIsFalling, header.sortIndicatorOrder() == Qt::DescendingOrder}};
}

void restoreSort(QHeaderView& header, const QVariantMap& state) {
  const int column = state.value(kColumn, -2).toInt();
  if (column < -1 || column >= header.count()) return;
  header.setSortIndicator(
      column, state.value(kIsFalling).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
}

}  // namespace lockstep::widgets
