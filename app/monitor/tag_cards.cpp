#include "app/monitor/tag_cards.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/plots/curve_card.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

constexpr int kMarginPx = 16, kCardPx = 168;
constexpr std::size_t kAtOnce = 24;

widgets::CurveCard* makeCard(const CardPlan& plan, widgets::DrawQueue* queue) {
  auto* card = new widgets::CurveCard(plan.title, queue);
  card->setMinimumHeight(kCardPx);
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
  setOpen(false);
}

void TagCards::buildUi() {
  fold_ = new QToolButton;
  fold_->setCheckable(true);
  fold_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  widgets::setRole(fold_, "quiet");
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
  connect(fold_, &QToolButton::clicked, this, [this](bool open) {
    setOpen(open);
    Q_EMIT openChanged(open);
  });
  connect(more_, &QPushButton::clicked, this, [this] {
    wanted_ += kAtOnce;
    makeCards();
  });
}

bool TagCards::isOpen() const { return fold_->isChecked(); }

void TagCards::setOpen(bool open) {
  fold_->setChecked(open);
  body_->setVisible(open);
  showTitle();
  if (open) makeCards();
}

void TagCards::showTitle() {
  fold_->setText((isOpen() ? QStringLiteral("▾  ") : QStringLiteral("▸  ")) +
                 (plans_.size() == 1 ? tr("%1: 1 card").arg(title_)
                                     : tr("%1: %2 cards").arg(title_).arg(plans_.size())));
}

void TagCards::setPlans(const std::vector<CardPlan>& plans) {
  plans_ = plans;
  const auto isPlanned = [this](const Card& card) {
    return std::ranges::any_of(
        plans_, [&](const CardPlan& plan) { return cardId(plan) == cardId(card.plan); });
  };
  for (const Card& card : cards_)
    if (!isPlanned(card)) delete card.card;
  std::erase_if(cards_, [&](const Card& card) { return !isPlanned(card); });
  showTitle();
  if (isOpen()) makeCards();
}

/// In the order of the plans.
void TagCards::makeCards() {
  std::vector<Card> made;
  const std::size_t count = std::min(wanted_, plans_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto old = std::ranges::find_if(
        cards_, [&](const Card& card) { return cardId(card.plan) == cardId(plans_[i]); });
    made.push_back(old == cards_.end() ? Card{plans_[i], makeCard(plans_[i], queue_)}
                                       : Card{plans_[i], old->card});
  }
  std::vector<Card> isNew;
  for (const Card& card : made)
    if (std::ranges::find(cards_, card.card, &Card::card) == cards_.end()) isNew.push_back(card);
  for (const Card& old : cards_)
    if (std::ranges::find(made, old.card, &Card::card) == made.end()) delete old.card;
  cards_ = std::move(made);
  layOut();
  for (const Card& card : isNew) Q_EMIT cardMade(card.card, card.plan);
}

bool TagCards::has(const widgets::CurveCard* card) const {
  return std::ranges::find(cards_, card, &Card::card) != cards_.end();
}

void TagCards::maximize(const widgets::CurveCard* card, int heightPx) {
  const bool isOne = card && has(card);
  for (const Card& own : cards_) {
    own.card->setVisible(!isOne || own.card == card);
    own.card->setMinimumHeight(isOne && own.card == card ? heightPx : kCardPx);
  }
  fold_->setVisible(!isOne);
  more_->setVisible(!isOne && isOpen() && cards_.size() < plans_.size());
}

void TagCards::setScrollBarWidth(int widthPx) {
  layout()->setContentsMargins(kMarginPx, 0, kMarginPx - widthPx, 10);
}

void TagCards::setColumns(int columns) {
  if (columns == std::exchange(columns_, columns)) return;
  layOut();
}

void TagCards::layOut() {
  for (const Card& card : cards_) grid_->removeWidget(card.card);
  for (int i = 0; i < 4; ++i) grid_->setColumnStretch(i, i < columns_ ? 1 : 0);
  int at = 0;
  for (const Card& card : cards_) {
    grid_->addWidget(card.card, at / columns_, at % columns_);
    ++at;
  }
  const std::size_t left = plans_.size() - std::min(plans_.size(), cards_.size());
  more_->setVisible(isOpen() && left > 0);
  more_->setText(tr("Show %1 more of %2").arg(std::min(left, kAtOnce)).arg(plans_.size()));
}

}  // namespace lockstep::app
