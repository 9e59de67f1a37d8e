#pragma once

#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "app/cards/card_layout.h"
#include "app/cards/run_groups.h"
#include "widgets/curves/curve_source.h"

class QComboBox;
class QLabel;
class QVBoxLayout;

namespace lockstep::widgets {
class AxisChoice;
class CurveCard;
class RunLegend;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// Losses and AP of A and B over one axis, with the shown checkpoints marked. A click, or Return at
/// the cursor, chooses the checkpoints there: of one run, that of B.
class ComparedCurves : public QWidget {
  Q_OBJECT

 public:
  explicit ComparedCurves(QWidget* parent = nullptr);

  struct Side {
    ShownRun run;  ///< none: a results file
    qint64 step = 0;
    bool operator==(const Side& other) const {
      return run.run == other.run.run && run.name == other.run.name && step == other.step;
    }
  };
  void setSides(const std::array<Side, 2>& sides);
  /// Call it when a run has new points.
  void refresh();
  widgets::AxisChoice* axis() const { return axis_; }
  /// Every card; one loss and one AP are shown.
  std::vector<widgets::CurveCard*> cards() const;
  /// Title of the chosen loss.
  QString figure() const;
  void setFigure(const QString& title);

 Q_SIGNALS:
  /// The step of each side's run there; std::nullopt: the side keeps its own.
  void stepsChosen(const std::array<std::optional<qint64>, 2>& steps);

 private:
  struct Card {
    CardPlan plan;
    widgets::CurveCard* card = nullptr;
    bool isLoss = false;
  };

  void buildUi();
  void addCard(const CardPlan& plan);
  void showCards();
  void giveCurves();
  std::vector<RunGroup> groups() const;
  bool isOneRun() const { return sides_[0].run.run && sides_[0].run.run == sides_[1].run.run; }
  /// Which sides can be drawn, and which AP.
  std::array<bool, 3> scope() const;
  bool haveMasks() const;
  void choose(double x);
  QString noteText() const;

  std::array<Side, 2> sides_;
  std::array<bool, 3> drawn_{};  ///< scope() of the curves
  std::vector<Card> cards_;
  QVBoxLayout* column_ = nullptr;  ///< of the cards
  QComboBox* figures_ = nullptr;
  widgets::AxisChoice* axis_ = nullptr;
  widgets::RunLegend* legend_ = nullptr;
  QLabel* note_ = nullptr;
};

}  // namespace lockstep::app
