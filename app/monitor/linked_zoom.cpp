#include "app/monitor/linked_zoom.h"

#include <QScopedValueRollback>

namespace lockstep::app {
namespace {

constexpr qint64 kOneMovementMilliseconds = 400;
constexpr std::size_t kMaxEntries = 100;

}  // namespace

void LinkedZoom::add(widgets::CurveCard* card) {
  std::erase_if(cards_, [](const auto& own) { return own.isNull(); });
  if (isLinked_ && !cards_.empty() && cards_.front()->plot()->zoom().x)
    card->plot()->setZoom({cards_.front()->plot()->zoom().x, std::nullopt});
  cards_.push_back(card);
  connect(card->plot(), &widgets::CurvePlot::viewChanged, this, [this, card] { noteZoomOf(card); });
}

LinkedZoom::State LinkedZoom::state() const {
  State state;
  for (const auto& card : cards_)
    if (card) state.emplace_back(card, card->plot()->zoom());
  return state;
}

void LinkedZoom::restore(const State& state) {
  for (const auto& [card, zoom] : state)
    if (card && card->plot()->zoom() != zoom) card->plot()->setZoom(zoom);
  present_ = state;
}

void LinkedZoom::noteZoomOf(widgets::CurveCard* card) {
  if (isQuiet_) return;
  const widgets::PlotZoom changed = card->plot()->zoom();
  if (isLinked_) {
    for (const auto& other : cards_) {
      if (!other || other == card || other->plot()->zoom().x == changed.x) continue;
      other->plot()->setZoom({changed.x, other->plot()->zoom().y});
    }
  }
  keep(card);
}

/// Makes what was the present one that can be gone back to.
void LinkedZoom::keep(const widgets::CurveCard* changed) {
  State now = state();
  const bool isSameMovement = changed && lastChanged_ == changed && sinceLast_.isValid() &&
                              sinceLast_.elapsed() < kOneMovementMilliseconds;
  if (!isSameMovement) {
    // Cards that were made since had no zoom.
    past_.push_back(present_);
    if (past_.size() > kMaxEntries) past_.erase(past_.begin());
    future_.clear();
  }
  present_ = std::move(now);
  lastChanged_ = changed;
  sinceLast_.start();
}

void LinkedZoom::reset() {
  bool isZoomed = false;
  for (const auto& card : cards_) isZoomed = isZoomed || (card && card->plot()->isZoomed());
  {
    const QScopedValueRollback quiet(isQuiet_, true);
    for (const auto& card : cards_)
      if (card) card->plot()->resetView();
  }
  if (isZoomed) keep(nullptr);
}

void LinkedZoom::goBack() {
  if (past_.empty()) return;
  State target = std::move(past_.back());
  past_.pop_back();
  future_.push_back(present_);
  // The first entry has no cards: nothing was zoomed.
  if (target.empty())
    for (const auto& [card, zoom] : state()) target.emplace_back(card, widgets::PlotZoom());
  restore(target);
  lastChanged_ = nullptr;
}

void LinkedZoom::goForward() {
  if (future_.empty()) return;
  past_.push_back(present_);
  const State target = std::move(future_.back());
  future_.pop_back();
  restore(target);
  lastChanged_ = nullptr;
}

}  // namespace lockstep::app
