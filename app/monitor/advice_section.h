#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/runs/open/shown_run.h"
#include "widgets/curves/curve_source.h"

class QGridLayout;

namespace lockstep::widgets {
class CurveCard;
class DrawQueue;
class FoldButton;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// The alerts of a run that have evidence, as cards: the curves and the steps that show the
/// problem, what to do, and a button that forks the run with it or edits a copy of its experiment.
/// Hidden while there are none.
class AdviceSection : public QWidget {
  Q_OBJECT

 public:
  explicit AdviceSection(widgets::DrawQueue* queue, QWidget* parent = nullptr);

  /// Call it when the run, its alerts or its values may have changed; std::nullopt: none.
  void showAdviceOf(const std::optional<ShownRun>& run, widgets::XAxis axis);
  const std::vector<widgets::CurveCard*>& cards() const { return cards_; }
  void setOpen(bool open);
  void setColumns(int columns);
  /// Width that the scroll bar takes from the right margin.
  void setScrollBarWidth(int widthPx);
  /// Off while a card is maximized.
  void setShown(bool shown);
  /// The texts have, but then the scroll area would give all cards their preferred heights.
  bool hasHeightForWidth() const override { return false; }

 Q_SIGNALS:
  /// By a click.
  void openChanged(bool open);
  /// `change`: KEY=VALUE; `step`: before which the evidence begins.
  void forkRequested(const QString& folder, const QString& change, qint64 step);
  void copyRequested(const QString& folder, const QString& change);
  // As a card's.
  void predictionsRequested(double x);
  void exportRequested(widgets::CurveCard* card);

 private:
  void buildUi();
  void makeCards();
  widgets::CurveCard* makeCard(const protocol::Alert& alert);
  QWidget* makeFooter(const protocol::Alert& alert);
  QWidget* makeChange(const protocol::Alert& alert);
  void layOut();

  widgets::DrawQueue* queue_;
  ShownRun run_;
  widgets::XAxis axis_ = widgets::XAxis::Step;
  std::vector<protocol::Alert> advice_;  ///< of the cards
  std::vector<widgets::CurveCard*> cards_;
  widgets::FoldButton* fold_ = nullptr;
  QWidget* body_ = nullptr;
  QGridLayout* grid_ = nullptr;
  int columns_ = 4;
  std::vector<std::int64_t> checkpoints_;  ///< of the run
  bool isShown_ = true;
};

}  // namespace lockstep::app
