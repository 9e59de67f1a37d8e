#include "app/monitor/card_grid.h"

#include <QGridLayout>
#include <algorithm>
#include <utility>

#include "app/monitor/card_arrangement.h"
#include "widgets/draw_queue.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

constexpr int kFourColumnsPx = 1080, kTwoColumnsPx = 640;
constexpr int kSmallCardPx = 148, kMarginTopPx = 14;
constexpr int kMaxRows = 64;

}  // namespace

CardGrid::CardGrid(QWidget* parent)
    : QWidget(parent),
      plans_(monitorCards()),
      queue_(new widgets::DrawQueue(this)),
      layout_(new QGridLayout(this)) {
  layout_->setSpacing(12);
  setScrollBarWidth(0);
}

void CardGrid::makeCards() {
  for (const CardPlan& plan : plans_) {
    auto* card = new widgets::CurveCard(plan.title, queue_, this);
    card->setEmptyText(plan.emptyText);
    card->plot()->setYLimits(plan.yMin, plan.yMax);
    card->plot()->setIgnoreOutliers(plan.ignoreOutliers);
    QStringList tip;
    if (!plan.fullName.isEmpty()) tip.append(plan.fullName);
    for (const CardCurve& curve : plan.curves) tip.append(QString::fromStdString(curve.tag));
    if (!plan.tip.isEmpty()) tip.append(plan.tip);
    card->setAccessibleName(plan.title);
    card->setTitleTip(tip.join(QLatin1Char('\n')));
    cards_.push_back(card);
  }
  layOut();
}

void CardGrid::setCardSizes(const QVariantMap& sizes) {
  if (sizes == std::exchange(sizes_, sizes)) return;
  plans_ = monitorCards();
  setSizes(plans_, sizes_);
  layOut();
}

void CardGrid::setShown(std::vector<std::size_t> shown) {
  if (shown == shown_) return;
  shown_ = std::move(shown);
  if (maximized_ && !hasPlace(maximized_)) maximized_ = nullptr;
  layOut();
}

bool CardGrid::hasPlace(const widgets::CurveCard* card) const {
  return std::any_of(shown_.begin(), shown_.end(),
                     [&](std::size_t shown) { return cards_[shown] == card; });
}

bool CardGrid::isShown(const widgets::CurveCard* card) const {
  return maximized_ ? card == maximized_ : hasPlace(card);
}

widgets::CurveCard* CardGrid::maximized() const { return maximized_; }

void CardGrid::maximize(widgets::CurveCard* card) {
  maximized_ = card;
  layOut();
}

void CardGrid::fitWidth(int widthPx) {
  const int columns = widthPx >= kFourColumnsPx ? 4 : widthPx >= kTwoColumnsPx ? 2 : 1;
  if (columns == std::exchange(columns_, columns)) return;
  layOut();
}

void CardGrid::setScrollBarWidth(int widthPx) {
  layout_->setContentsMargins(kMarginPx, kMarginTopPx, kMarginPx - widthPx, kMarginTopPx);
}

void CardGrid::layOut() {
  if (cards_.empty()) return;
  std::vector<CardPlace> places = placeCards(plans_, shown_, columns_);
  if (maximized_) {
    const auto card = std::find(cards_.begin(), cards_.end(), maximized_.data()) - cards_.begin();
    places = {{static_cast<std::size_t>(card)}};
  }
  for (widgets::CurveCard* card : cards_) layout_->removeWidget(card);
  for (int i = 0; i < kMaxRows; ++i) {
    layout_->setRowStretch(i, 0);
    layout_->setColumnStretch(i, i < (maximized_ ? 1 : columns_) ? 1 : 0);
  }
  for (widgets::CurveCard* card : cards_) card->setVisible(isShown(card));
  for (const CardPlace& place : places) {
    widgets::CurveCard* card = cards_[place.card];
    card->setMinimumHeight(kSmallCardPx * plans_[place.card].rowSpan);
    layout_->addWidget(card, place.row, place.column, place.rowSpan, place.columnSpan);
    for (int row = place.row; row < place.row + place.rowSpan; ++row)
      layout_->setRowStretch(row, place.rowStretch);
  }
}

}  // namespace lockstep::app
