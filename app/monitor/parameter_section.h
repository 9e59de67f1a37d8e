#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "app/runs/open/shown_run.h"
#include "widgets/curves/curve_source.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace lockstep::widgets {
class CurveCard;
class DrawQueue;
class FoldButton;
class HeatMap;
class Throttle;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// What monitor.tensor_stats_every records of each parameter: a heat map of all, and the curves of
/// those that are chosen in it. Hidden for a run without statistics, folded until it is opened.
class ParameterSection : public QWidget {
  Q_OBJECT

 public:
  explicit ParameterSection(widgets::DrawQueue* queue, QWidget* parent = nullptr);

  /// `runs`: the current one, whose parameters are listed, is first. Curves are of all.
  void setRuns(const std::vector<ShownRun>& runs, widgets::XAxis axis);
  /// Call it when there are new values.
  void refresh();
  bool isOpen() const;
  void setOpen(bool open);
  /// Width that the scroll bar takes from the right margin.
  void setScrollBarWidth(int widthPx);
  /// Off while a card is maximized.
  void setShown(bool shown);
  /// The card of the chosen parameters' curves.
  widgets::CurveCard* card() const { return card_; }
  widgets::HeatMap* heatMap() const { return map_; }
  /// Shows the curve of a parameter, beside those that are shown if `adds`.
  void chooseParameter(const QString& name, bool adds);

 Q_SIGNALS:
  /// By a click.
  void openChanged(bool open);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void buildUi(widgets::DrawQueue* queue);
  void connectSignals();
  void showBody(bool open);
  void showStatistics();
  void fillMap();
  void showCurves();
  std::string prefix() const;

  std::vector<ShownRun> runs_;
  widgets::XAxis axis_ = widgets::XAxis::Step;
  widgets::FoldButton* fold_ = nullptr;
  QLabel* facts_ = nullptr;
  QWidget* body_ = nullptr;
  QComboBox* statistic_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QLabel* note_ = nullptr;  ///< below the filter: what the map leaves out
  widgets::HeatMap* map_ = nullptr;
  widgets::CurveCard* card_ = nullptr;
  widgets::Throttle* refill_ = nullptr;
  QStringList chosen_;
  bool isOutdated_ = false;  ///< the map, because it was not in sight
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  std::size_t tagCount_ = kUnknown;  ///< of the current run, when its statistics were looked for
  bool isShown_ = true, hasParameters_ = false;
};

}  // namespace lockstep::app
