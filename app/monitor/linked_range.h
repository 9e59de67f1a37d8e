#pragma once

#include <QObject>
#include <QPointer>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/plots/curve_card.h"

namespace lockstep::app {

/// A range of x that is selected on all cards of a page, by a drag on one of them or from one place
/// of the cursor to another.
class LinkedRange : public QObject {
  Q_OBJECT

 public:
  explicit LinkedRange(QObject* parent = nullptr) : QObject(parent) {}

  /// A new card has the range of the others.
  void add(widgets::CurveCard* card);
  const std::optional<std::pair<double, double>>& range() const { return range_; }
  /// Returns whether there was a range.
  bool clear();
  /// Begins a range at the cursor of the cards or, without one, at the left, and gives the focus to
  /// a card, whose arrow keys move the other end; keeps what it has become; removes it.
  void toggle();

 private:
  void show(std::optional<std::pair<double, double>> range);
  void focusOne(const widgets::CurveCard& first);
  void followCursor(std::optional<double> x);

  std::vector<QPointer<widgets::CurveCard>> cards_;
  std::optional<std::pair<double, double>> range_;
  std::optional<double> cursor_;
  std::optional<double> anchor_;  ///< while the cursor moves the other end
};

}  // namespace lockstep::app
