#include "app/monitor/card_grid.h"

#include <QCursor>
#include <QGridLayout>
#include <algorithm>
#include <utility>

#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

constexpr int kFourColumnsPx = 1080, kTwoColumnsPx = 640;
constexpr int kSmallCardPx = 148, kMarginPx = 16, kMarginTopPx = 14;
constexpr int kMostRows = 16;

}  // namespace

CardGrid::CardGrid(QWidget* parent)
    : QWidget(parent), plans_(monitorCards()), layout_(new QGridLayout(this)) {
  layout_->setSpacing(12);
  setTakenMargin(0);
}

void CardGrid::makeCards() {
  for (const CardPlan& plan : plans_) {
    auto* card = new widgets::CurveCard(plan.title, this);
    card->setEmptyText(plan.emptyText);
    card->plot()->setYLimits(plan.yLeast, plan.yMost);
    card->plot()->setIgnoreOutliers(plan.ignoreOutliers);
    QStringList tip;
    for (const CardCurve& curve : plan.curves) tip.append(QString::fromStdString(curve.tag));
    if (!plan.tip.isEmpty()) tip.append(plan.tip);
    card->setAccessibleName(plan.title);
    card->setTitleTip(tip.join(QLatin1Char('\n')));
    cards_.push_back(card);
  }
  layOut();
}

void CardGrid::setShown(std::vector<std::size_t> shown) {
  if (shown == shown_) return;
  shown_ = std::move(shown);
  if (alone_ && !hasPlace(alone_)) alone_ = nullptr;
  layOut();
}

bool CardGrid::hasPlace(const widgets::CurveCard* card) const {
  return std::any_of(shown_.begin(), shown_.end(),
                     [&](std::size_t shown) { return cards_[shown] == card; });
}

bool CardGrid::isShown(const widgets::CurveCard* card) const {
  return alone_ ? card == alone_ : hasPlace(card);
}

widgets::CurveCard* CardGrid::alone() const { return alone_; }

void CardGrid::showAlone(widgets::CurveCard* card) {
  alone_ = card;
  layOut();
}

void CardGrid::fitWidth(int widthPx) {
  const int columns = widthPx >= kFourColumnsPx ? 4 : widthPx >= kTwoColumnsPx ? 2 : 1;
  if (columns == std::exchange(columns_, columns)) return;
  layOut();
}

void CardGrid::setTakenMargin(int widthPx) {
  layout_->setContentsMargins(kMarginPx, kMarginTopPx, kMarginPx - widthPx, kMarginTopPx);
}

void CardGrid::layOut() {
  if (cards_.empty()) return;
  std::vector<CardPlace> places = placeCards(plans_, shown_, columns_);
  if (alone_) {
    const auto card = std::find(cards_.begin(), cards_.end(), alone_.data()) - cards_.begin();
    places = {{static_cast<std::size_t>(card)}};
  }
  for (widgets::CurveCard* card : cards_) layout_->removeWidget(card);
  for (int i = 0; i < kMostRows; ++i) {
    layout_->setRowStretch(i, 0);
    layout_->setColumnStretch(i, i < (alone_ ? 1 : columns_) ? 1 : 0);
  }
  for (widgets::CurveCard* card : cards_) card->setVisible(isShown(card));
  for (const CardPlace& place : places) {
    widgets::CurveCard* card = cards_[place.card];
    card->setMinimumHeight(kSmallCardPx * plans_[place.card].rowSpan);
    layout_->addWidget(card, place.row, place.column, place.rowSpan, place.columnSpan);
    layout_->setRowStretch(place.row, place.rowStretch);
  }
}

widgets::CurveCard* CardGrid::cardUnderPointer() const {
  for (widgets::CurveCard* card : cards_)
    if (card->isVisible() && card->rect().contains(card->mapFromGlobal(QCursor::pos())))
      return card;
  return cards_.front();
}

}  // namespace lockstep::app
