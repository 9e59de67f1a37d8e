#pragma once

#include <QFrame>
#include <QList>
#include <QRect>
#include <QString>
#include <functional>

class QLabel;
class QPushButton;

namespace lockstep::app {

/// What a step of the tour says, and of which part of the window.
struct TourStep {
  QString title, text;
  std::function<QRect()> place;  ///< in the window's coordinates
  QString action{};              ///< a button that does something; empty: there is none
  std::function<void()> act{};
};

/// A guide through the window: a card beside the part of the window that a step is about, and a
/// ring around that. The window can be used meanwhile. Return goes on, unless what has the focus
/// uses it; Escape or its button closes it; then it deletes itself.
class Tour : public QFrame {
  Q_OBJECT

 public:
  Tour(QWidget* window, QList<TourStep> steps);
  ~Tour() override;

  int step() const { return step_; }
  /// The part of the window that is pointed at, in the window's coordinates.
  QRect place() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  class Ring;
  void buildUi();
  void showStep(int step);
  bool handleReturn(const QKeyEvent& event);
  void putInPlace();

  QList<TourStep> steps_;
  int step_ = 0;
  Ring* ring_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* text_ = nullptr;
  QLabel* count_ = nullptr;
  QPushButton* act_ = nullptr;
  QPushButton* back_ = nullptr;
  QPushButton* next_ = nullptr;
};

}  // namespace lockstep::app
