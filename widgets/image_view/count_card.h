#pragma once

#include <QFrame>

#include "widgets/instances/verdict.h"

class QLabel;

namespace lockstep::widgets {

/// A count of one verdict: all images in large figures, this image below.
class CountCard : public QFrame {
  Q_OBJECT

 public:
  explicit CountCard(Verdict verdict, QWidget* parent = nullptr);

  /// -1: not known.
  void setCounts(int all, int here);
  QString allText() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void applyColour();

  Verdict verdict_;
  QLabel* all_ = nullptr;
  QLabel* caption_ = nullptr;
  QLabel* here_ = nullptr;
};

}  // namespace lockstep::widgets
