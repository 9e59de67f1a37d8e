#pragma once

#include <QHash>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/models/tag_sections.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::widgets {
class CurveCard;
class DrawQueue;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// A section of cards that can be folded. Cards are made when it is first opened, a few at a time.
class TagCards : public QWidget {
  Q_OBJECT

 public:
  struct Card {
    CardPlan plan;
    widgets::CurveCard* card = nullptr;
  };

  TagCards(const QString& title, widgets::DrawQueue* queue, QWidget* parent = nullptr);

  /// Cards of plans that are still there are kept.
  void setPlans(const std::vector<CardPlan>& plans);
  /// Those that exist: of an open section.
  const std::vector<Card>& cards() const { return cards_; }
  void setColumns(int columns);
  /// Width that the scroll bar takes from the right margin.
  void setScrollBarWidth(int widthPx);
  bool has(const widgets::CurveCard* card) const;
  /// Shows this card alone, as high as this; nullptr: all.
  void maximize(const widgets::CurveCard* card, int heightPx);
  bool isOpen() const;
  void setOpen(bool open);

 Q_SIGNALS:
  /// By a click.
  void openChanged(bool open);
  /// A card has been made, and needs its curves.
  void cardMade(widgets::CurveCard* card, const lockstep::app::CardPlan& plan);

 private:
  void buildUi();
  void showTitle();
  void makeCards();
  void layOut();

  QString title_;
  widgets::DrawQueue* queue_;
  std::vector<CardPlan> plans_;
  std::vector<Card> cards_;
  std::size_t wanted_;  ///< number of cards to be made while it is open
  int columns_ = 4;
  QToolButton* fold_ = nullptr;
  QWidget* body_ = nullptr;
  QGridLayout* grid_ = nullptr;
  QPushButton* more_ = nullptr;
};

}  // namespace lockstep::app
