#pragma once

#include <QFrame>
#include <cstdint>
#include <optional>

#include "engine/coco/analysis/operating_point.h"
#include "widgets/instances/verdict.h"

class QLabel;

namespace lockstep::widgets {

/// The number of instances with one verdict: in all images in large digits, in this image below.
class CountCard : public QFrame {
  Q_OBJECT

 public:
  explicit CountCard(Verdict verdict, QWidget* parent = nullptr);

  /// std::nullopt: not known.
  void setCounts(const std::optional<coco::Counts>& all, const std::optional<coco::Counts>& here);
  QString allText() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  qint64 countOf(const coco::Counts& counts) const;
  void applyColor();

  Verdict verdict_;
  QLabel* all_ = nullptr;
  QLabel* caption_ = nullptr;
  QLabel* here_ = nullptr;
};

}  // namespace lockstep::widgets
