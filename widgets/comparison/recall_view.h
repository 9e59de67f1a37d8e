#pragma once

#include <QString>
#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/instances/matched_pair.h"

class QLabel;

namespace lockstep::widgets {

class ClassBox;
class RecallPlot;

/// Precision-recall curves of A and B: of a class, or of all classes in one list.
class RecallView : public QWidget {
  Q_OBJECT

 public:
  explicit RecallView(QWidget* parent = nullptr);

  /// nullptr: there is none, as between two pairs; the choice of classes stays.
  void setPair(std::shared_ptr<const MatchedPair> pair, double scoreThreshold);
  /// "car", or all classes.
  QString shownClass() const;
  /// Stays wanted where a pair lacks it; empty: all classes.
  const QString& wantedClass() const;
  void wantClass(const QString& name);
  RecallPlot* plot() const { return plot_; }

 Q_SIGNALS:
  /// Of A (0) or B (1); `category`: row of the class; std::nullopt: all.
  void pointChosen(int side, std::optional<std::size_t> category, double score);

 private:
  void buildUi();
  void listClasses();
  void showCurves();
  QString noteText() const;
  QString figuresText(std::size_t side) const;
  const coco::PrecisionRecallCurve& curveOf(std::size_t side) const;
  std::optional<std::size_t> category() const;

  std::shared_ptr<const MatchedPair> pair_;
  double scoreThreshold_ = 0;
  ClassBox* classes_ = nullptr;
  QLabel *note_ = nullptr, *figures_ = nullptr;
  RecallPlot* plot_ = nullptr;
};

}  // namespace lockstep::widgets
