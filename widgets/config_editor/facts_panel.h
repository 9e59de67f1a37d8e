#pragma once

#include <QList>
#include <QString>
#include <QWidget>
#include <utility>

#include "widgets/experiment/derived_facts.h"

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace lockstep::widgets {

class HistogramChart;
class LearningRateCurve;

/// What the experiment amounts to: planned learning rate, derived facts and warnings.
class FactsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FactsPanel(QWidget* parent = nullptr);

  /// `survey`: more facts, as name and value.
  void setExperiment(const config::Experiment& experiment, const ImageCounts& images,
                     const QList<std::pair<QString, QString>>& survey = {},
                     const KnownObjects& objects = {});
  /// Shows that there are no facts yet.
  void clear();
  /// The text has errors: marks the facts as those of the last valid text.
  void setStale(bool isStale);
  void setRangeTestEnabled(bool isEnabled);
  LearningRateCurve* curve() const { return curve_; }
  HistogramChart* boxSizes() const { return boxSizes_; }
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// Find a learning rate with a range test.
  void rangeTestRequested();
  /// The experiment is to have the anchors that fit the data better.
  void betterAnchorsChosen();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillFacts(const DerivedFacts& derived);
  void showNothing(bool isNothing);
  void showObjects(const KnownObjects& objects, const config::AnchorConfig& anchors);

  QWidget* plan_ = nullptr;  ///< the curve with its title
  LearningRateCurve* curve_ = nullptr;
  QHBoxLayout *curveHead_ = nullptr, *factsHead_ = nullptr;
  QPushButton* rangeTest_ = nullptr;  ///< in one of the heads
  QGridLayout* grid_ = nullptr;
  QWidget* boxes_ = nullptr;  ///< the histogram with its title
  HistogramChart* boxSizes_ = nullptr;
  QPushButton* useAnchors_ = nullptr;
  QLabel* warnings_ = nullptr;
  QLabel* stale_ = nullptr;
  QLabel* nothing_ = nullptr;
  std::vector<QLabel*> names_, values_;
};

}  // namespace lockstep::widgets
