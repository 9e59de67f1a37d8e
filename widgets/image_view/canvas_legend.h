#pragma once

#include <QPen>
#include <QString>
#include <QWidget>
#include <memory>
#include <set>
#include <vector>

#include "widgets/instances/verdict.h"
#include "widgets/spoken_value.h"

namespace lockstep::widgets {

struct CanvasLayers;
struct CanvasScene;
struct ExplanationScene;
struct Theme;

/// One row that says what the strokes and colours of a canvas stand for: of what is drawn now.
class CanvasLegend : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  explicit CanvasLegend(QWidget* parent = nullptr);

  struct Entry {
    QPen pen;
    QString text;
    bool hasHalo = false;  ///< as ground truth has on the image
    QString shortText{};   ///< where there is no room for all texts; empty: the same
  };
  /// nullptr: nothing is drawn.
  void show(const std::shared_ptr<const CanvasScene>& scene, const CanvasLayers& layers);
  /// Of boxes on crops, of which there is no explanation.
  void showVerdicts(const std::set<Verdict>& verdicts);
  /// Adds what is drawn of an explanation, until the next one; nullptr: nothing.
  void setExplanation(const std::shared_ptr<const ExplanationScene>& explanation);
  const std::vector<Entry>& entries() const { return entries_; }

  QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
  QString spokenValue() const override;
  /// As they are drawn at the present width.
  QStringList shownTexts() const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int widthOf(const QString& text) const;
  void combine();

  std::vector<Entry> ofScene_, ofExplanation_;
  bool isOfCrops_ = false;      ///< ofScene_
  std::vector<Entry> entries_;  ///< both
};

}  // namespace lockstep::widgets
