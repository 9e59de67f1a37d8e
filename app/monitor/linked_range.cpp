#include "app/monitor/linked_range.h"

#include <algorithm>

namespace lockstep::app {

void LinkedRange::add(widgets::CurveCard* card) {
  std::erase_if(cards_, [](const auto& own) { return own.isNull(); });
  cards_.push_back(card);
  card->plot()->setSelectedRange(range_);
  connect(card->plot(), &widgets::CurvePlot::cursorMoved, this, &LinkedRange::followCursor);
  connect(card->plot(), &widgets::CurvePlot::rangeSelected, this, [this](double from, double to) {
    anchor_.reset();
    show(std::pair(std::min(from, to), std::max(from, to)));
  });
  connect(card->plot(), &widgets::CurvePlot::rangeDismissed, this, &LinkedRange::clear);
}

void LinkedRange::followCursor(std::optional<double> x) {
  cursor_ = x;
  if (anchor_ && x) show(std::pair(std::min(*anchor_, *x), std::max(*anchor_, *x)));
}

bool LinkedRange::clear() {
  anchor_.reset();
  const bool hadRange = range_.has_value();
  show(std::nullopt);
  return hadRange;
}

void LinkedRange::toggle() {
  if (anchor_) {
    anchor_.reset();
  } else if (range_) {
    clear();
  } else {
    const auto shown =
        std::ranges::find_if(cards_, [](const auto& card) { return card && card->isVisible(); });
    if (shown == cards_.end()) return;
    anchor_ = cursor_.value_or((*shown)->plot()->xView().first);
    show(std::pair(*anchor_, *anchor_));
    focusOne(**shown);
  }
}

/// So that the arrow keys move the other end.
void LinkedRange::focusOne(const widgets::CurveCard& first) {
  const auto hasFocus = [](const auto& card) { return card && card->plot()->hasFocus(); };
  if (std::ranges::any_of(cards_, hasFocus)) return;
  const auto pointedAt = std::ranges::find_if(
      cards_, [](const auto& card) { return card && card->isVisible() && card->underMouse(); });
  const widgets::CurveCard& card = pointedAt == cards_.end() ? first : **pointedAt;
  card.plot()->setFocus(Qt::OtherFocusReason);
}

void LinkedRange::show(std::optional<std::pair<double, double>> range) {
  range_ = range;
  for (const auto& card : cards_)
    if (card) card->plot()->setSelectedRange(range_);
}

}  // namespace lockstep::app
