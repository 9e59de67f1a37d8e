#include "app/monitor/tag_cards.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHash>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/cards/card_layout.h"
#include "app/monitor/card_grid.h"
#include "widgets/fold_button.h"
#include "widgets/plots/curve_card.h"

namespace lockstep::app {
namespace {

constexpr int kTagCardPx = 168, kMaxTagColumns = 4;

widgets::CurveCard* makeCard(const CardPlan& plan, widgets::DrawQueue* queue) {
  auto* card = new widgets::CurveCard(plan.title, queue);
  card->setMinimumHeight(kTagCardPx);
  card->plot()->setIgnoreOutliers(plan.ignoreOutliers);
  card->plot()->setYLimits(plan.yMin, plan.yMax);
  card->setAccessibleName(cardId(plan));
  QStringList tip;
  for (const CardCurve& curve : plan.curves) tip << QString::fromStdString(curve.tag);
  card->setTitleTip(tip.join(QLatin1Char('\n')));
  return card;
}

}  // namespace

TagCards::TagCards(const QString& title, widgets::DrawQueue* queue, QWidget* parent)
    : QWidget(parent), title_(title), queue_(queue), wanted_(kAtOnce) {
  buildUi();
  setScrollBarWidth(0);
  setPlans({});
}

void TagCards::buildUi() {
  fold_ = new widgets::FoldButton;
  auto* head = new QHBoxLayout;
  head->setContentsMargins(0, 0, 0, 0);
  head->addWidget(fold_);
  head->addStretch();
  body_ = new QWidget;
  auto* parts = new QVBoxLayout(body_);
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(10);
  grid_ = new QGridLayout;
  grid_->setSpacing(12);
  more_ = new QPushButton;
  parts->addLayout(grid_);
  parts->addWidget(more_, 0, Qt::AlignLeft);
  auto* column = new QVBoxLayout(this);
  column->setSpacing(8);
  column->addLayout(head);
  column->addWidget(body_);
  connect(fold_, &widgets::FoldButton::toggled, this, &TagCards::fitCards);
  connect(fold_, &widgets::FoldButton::openChanged, this, &TagCards::openChanged);
  connect(more_, &QPushButton::clicked, this, [this] {
    wanted_ += kAtOnce;
    fitCards();
  });
}

bool TagCards::isOpen() const { return fold_->isOpen(); }
void TagCards::setOpen(bool open) { fold_->setOpen(open); }

void TagCards::setPlans(const std::vector<CardPlan>& plans) {
  plans_ = plans;
  fold_->setTitle(tr("%1: %Ln card(s)", "", static_cast<int>(plans_.size())).arg(title_));
  fitCards();
}

/// Makes and removes cards, so that there are those of the first plans while it is open.
void TagCards::fitCards() {
  QHash<QString, widgets::CurveCard*> old;
  for (const Card& card : cards_) old.insert(cardId(card.plan), card.card);
  std::vector<Card> fitting, made;
  const std::size_t count = isOpen() ? std::min(wanted_, plans_.size()) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    Card card{plans_[i], old.take(cardId(plans_[i]))};
    if (!card.card) {
      card.card = makeCard(card.plan, queue_);
      made.push_back(card);
    }
    fitting.push_back(card);
  }
  cards_ = std::move(fitting);
  for (widgets::CurveCard* card : old) {
    // Later: one of its menu's entries may be what removes it.
    if (card == maximized_) maximized_ = nullptr;
    grid_->removeWidget(card);
    card->hide();
    card->deleteLater();
  }
  layOut();
  for (const Card& card : made) Q_EMIT cardMade(card.card, card.plan);
}

bool TagCards::has(const widgets::CurveCard* card) const {
  return std::ranges::find(cards_, card, &Card::card) != cards_.end();
}

void TagCards::maximize(widgets::CurveCard* card, int heightPx) {
  maximized_ = card;
  maximizedPx_ = heightPx;
  layOut();
}

void TagCards::setScrollBarWidth(int widthPx) {
  layout()->setContentsMargins(CardGrid::kMarginPx, 0, CardGrid::kMarginPx - widthPx, 10);
}

void TagCards::setColumns(int columns) {
  if (columns == std::exchange(columns_, columns)) return;
  layOut();
}

void TagCards::layOut() {
  for (const Card& card : cards_) grid_->removeWidget(card.card);
  const int columns = maximized_ ? 1 : columns_;
  for (int i = 0; i < kMaxTagColumns; ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
  std::vector<CardPlan> plans;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    plans.push_back(cards_[i].plan);
    const bool isShown = !maximized_ || cards_[i].card == maximized_;
    if (isShown) shown.push_back(i);
    cards_[i].card->setVisible(isShown);
    cards_[i].card->setMinimumHeight(maximized_ ? maximizedPx_
                                                : kTagCardPx * cards_[i].plan.rowSpan);
  }
  for (const CardPlace& place : placeCards(plans, shown, columns))
    grid_->addWidget(cards_[place.card].card, place.row, place.column, place.rowSpan,
                     place.columnSpan);
  const std::size_t left = plans_.size() - cards_.size();
  body_->setVisible(isOpen());
  fold_->setVisible(!maximized_);
  more_->setVisible(!maximized_ && left > 0);
  more_->setText(tr("Show %1 more of %2").arg(std::min(left, kAtOnce)).arg(plans_.size()));
}

}  // namespace lockstep::app
