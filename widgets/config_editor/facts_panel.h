#pragma once

#include <QWidget>

#include "widgets/experiment/derived_facts.h"

class QGridLayout;
class QLabel;

namespace lockstep::widgets {

class LearningRateCurve;

/// What follows from the experiment: learning-rate curve, facts, warnings.
class FactsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FactsPanel(QWidget* parent = nullptr);

  void setExperiment(const config::Experiment& experiment, const ImageCounts& images);
  /// Nothing is known: says so.
  void clear();
  /// Faults stand in the way of facts that can be trusted: what is shown is of the last sound text.
  void setStale(bool isStale);
  LearningRateCurve* curve() const { return curve_; }
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillFacts(const DerivedFacts& derived);
  void showNothing(bool isNothing);

  QWidget* plan_ = nullptr;  ///< the curve with its title
  LearningRateCurve* curve_ = nullptr;
  QGridLayout* grid_ = nullptr;
  QLabel* warnings_ = nullptr;
  QLabel* stale_ = nullptr;
  QLabel* nothing_ = nullptr;
  std::vector<QLabel*> names_, values_;
};

}  // namespace lockstep::widgets
