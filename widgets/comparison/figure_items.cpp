#include "widgets/comparison/figure_items.h"

#include <QHeaderView>
#include <QLocale>
#include <QTreeWidget>
#include <cmath>

#include "widgets/comparison/roomy_delegate.h"
#include "widgets/comparison/table_text.h"
#include "widgets/theme.h"

namespace lockstep::widgets {
namespace {

constexpr int kFigureDecimals = 4;
constexpr double kLeastShown = 0.00005;  ///< a smaller difference would be written as 0.0000

QString figureText(double value) {
  return std::isnan(value) ? QStringLiteral("–") : QLocale().toString(value, 'f', kFigureDecimals);
}

/// "▲ +0.0123": better or worse is said by the arrow too.
QString deltaText(const ComparedFigure& figure) {
  const double delta = figure.second - figure.first;
  if (std::isnan(delta)) return QStringLiteral("–");
  if (delta == 0) return QStringLiteral("=");
  if (std::abs(delta) < kLeastShown) return QStringLiteral("≈");
  const bool isBetter = (delta > 0) != figure.isLowerBetter;
  return QStringLiteral("%1 %2%3").arg(isBetter ? QStringLiteral("▲") : QStringLiteral("▼"),
                                       delta > 0 ? QStringLiteral("+") : QString(),
                                       figureText(delta));
}

}  // namespace

QTreeWidget* newComparisonTable(const QString& name, const QStringList& columns) {
  auto* tree = new QTreeWidget;
  tree->setRootIsDecorated(false);
  tree->setUniformRowHeights(true);
  tree->setItemDelegate(new RoomyDelegate(tree));
  tree->setHeaderLabels(columns);
  tree->setAccessibleName(name);
  tree->header()->setStretchLastSection(false);
  tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  return tree;
}

void FigureItem::setNumber(int column, const QString& text, double figure) {
  setText(column, text);
  setData(column, kFigureRole, figure);
  setFont(column, monoFont());
  setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

void FigureItem::setFigure(int column, const ComparedFigure& figure) {
  setText(0, figure.name);
  setToolTip(0, figure.name);
  setNumber(column, figureText(figure.first), figure.first);
  setNumber(column + 1, figureText(figure.second), figure.second);
  setNumber(column + 2, deltaText(figure), figure.second - figure.first);
}

bool FigureItem::operator<(const QTreeWidgetItem& other) const {
  const int column = treeWidget()->sortColumn();
  const QVariant own = data(column, kFigureRole), theirs = other.data(column, kFigureRole);
  if (!own.isValid() || !theirs.isValid())
    return text(column).compare(other.text(column), Qt::CaseInsensitive) < 0;
  const bool isMissing = std::isnan(own.toDouble()), areTheirs = std::isnan(theirs.toDouble());
  if (isMissing == areTheirs) return own.toDouble() < theirs.toDouble();
  const bool rises = treeWidget()->header()->sortIndicatorOrder() == Qt::AscendingOrder;
  return rises ? areTheirs : isMissing;
}

}  // namespace lockstep::widgets
