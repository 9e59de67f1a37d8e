#pragma once

#include <QPointer>
#include <QVariantMap>
#include <QWidget>
#include <cstddef>
#include <vector>

#include "app/cards/card_layout.h"

class QGridLayout;

namespace lockstep::widgets {
class CurveCard;
class DrawQueue;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// The cards of the Monitor page in four, two or one columns, or a single maximized card.
class CardGrid : public QWidget {
  Q_OBJECT

 public:
  /// Left and right of the cards, also of the sections below.
  static constexpr int kMarginPx = 16;

  explicit CardGrid(QWidget* parent = nullptr);

  const std::vector<CardPlan>& plans() const { return plans_; }
  /// In the order of the plans; none before makeCards().
  const std::vector<widgets::CurveCard*>& cards() const { return cards_; }
  void makeCards();
  widgets::DrawQueue* drawQueue() const { return queue_; }
  /// See setSizes().
  void setCardSizes(const QVariantMap& sizes);
  /// Indices into the plans, in the order in which they are placed.
  void setShown(std::vector<std::size_t> shown);
  bool isShown(const widgets::CurveCard* card) const;
  bool hasShown() const { return !shown_.empty(); }
  /// The maximized card; nullptr: none.
  widgets::CurveCard* maximized() const;
  /// Shows only this card; nullptr: all of setShown().
  void maximize(widgets::CurveCard* card);
  void fitWidth(int widthPx);
  int columns() const { return columns_; }
  /// Width that the scroll bar takes from the right margin.
  void setScrollBarWidth(int widthPx);

 private:
  bool hasPlace(const widgets::CurveCard* card) const;
  void layOut();

  std::vector<CardPlan> plans_;
  widgets::DrawQueue* queue_;  ///< of all cards
  std::vector<widgets::CurveCard*> cards_;
  std::vector<std::size_t> shown_;
  QVariantMap sizes_;
  QPointer<widgets::CurveCard> maximized_;
  QGridLayout* layout_ = nullptr;
  int columns_ = 1;
};

}  // namespace lockstep::app
