#pragma once

#include <QWidget>

#include "widgets/config_editor/derived_facts.h"

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
  /// Faults stand in the way of facts that can be trusted: what is shown is of the last sound text.
  void setStale(bool isStale);
  LearningRateCurve* curve() const { return curve_; }

 private:
  void fillFacts(const DerivedFacts& derived);

  LearningRateCurve* curve_ = nullptr;
  QGridLayout* grid_ = nullptr;
  QLabel* warnings_ = nullptr;
  QLabel* stale_ = nullptr;
  std::vector<QLabel*> values_;
};

}  // namespace lockstep::widgets
