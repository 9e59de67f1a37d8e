#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

#include "app/cards/tag_sections.h"

class QGridLayout;
class QPushButton;

namespace lockstep::widgets {
class CurveCard;
class DrawQueue;
class FoldButton;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// A section of cards that can be folded. It has cards while it is open, a few at a time.
class TagCards : public QWidget {
  Q_OBJECT

 public:
  /// Cards that are made at first, and with each wish for more.
  static constexpr std::size_t kAtOnce = 24;

  struct Card {
    CardPlan plan;
    widgets::CurveCard* card = nullptr;
  };

  TagCards(const QString& title, widgets::DrawQueue* queue, QWidget* parent = nullptr);

  /// Cards of plans that are still there are kept.
  void setPlans(const std::vector<CardPlan>& plans);
  std::size_t planCount() const { return plans_.size(); }
  const std::vector<Card>& cards() const { return cards_; }
  bool has(const widgets::CurveCard* card) const;
  void setColumns(int columns);
  /// Width that the scroll bar takes from the right margin.
  void setScrollBarWidth(int widthPx);
  /// Shows this card alone, as high as this; nullptr: all.
  void maximize(widgets::CurveCard* card, int heightPx);
  widgets::CurveCard* maximized() const { return maximized_; }
  bool isOpen() const;
  void setOpen(bool open);

 Q_SIGNALS:
  /// By a click.
  void openChanged(bool open);
  /// It has no curves yet.
  void cardMade(widgets::CurveCard* card, const lockstep::app::CardPlan& plan);

 private:
  void buildUi();
  void fitCards();
  void layOut();

  QString title_;
  widgets::DrawQueue* queue_;
  std::vector<CardPlan> plans_;
  std::vector<Card> cards_;
  std::size_t wanted_;  ///< number of cards while it is open
  QPointer<widgets::CurveCard> maximized_;
  int maximizedPx_ = 0, columns_ = 4;
  widgets::FoldButton* fold_ = nullptr;
  QWidget* body_ = nullptr;
  QGridLayout* grid_ = nullptr;
  QPushButton* more_ = nullptr;
};

}  // namespace lockstep::app
