#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <utility>
#include <vector>

#include "widgets/plots/curve_card.h"

namespace lockstep::app {

/// The zoom of a page's cards: a zoom in x is that of all, and earlier ones can be gone back to.
class LinkedZoom : public QObject {
  Q_OBJECT

 public:
  explicit LinkedZoom(QObject* parent = nullptr) : QObject(parent) {}

  /// A new card takes the zoom in x that the others have.
  void add(widgets::CurveCard* card);
  void setLinked(bool isLinked) { isLinked_ = isLinked; }
  bool isLinked() const { return isLinked_; }
  bool canGoBack() const { return !past_.empty(); }

 public Q_SLOTS:
  void reset();
  void goBack();
  void goForward();

 private:
  using State = std::vector<std::pair<QPointer<widgets::CurveCard>, widgets::PlotZoom>>;

  State state() const;
  void restore(const State& state);
  void noteZoomOf(widgets::CurveCard* card);
  void keep(const widgets::CurveCard* changed);

  std::vector<QPointer<widgets::CurveCard>> cards_;
  State present_;
  std::vector<State> past_, future_;
  /// Steps of one movement, of the wheel or a drag, are one entry.
  QElapsedTimer sinceLast_;
  const void* lastChanged_ = nullptr;
  bool isLinked_ = true, isQuiet_ = false;
};

}  // namespace lockstep::app
