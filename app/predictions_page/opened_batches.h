#pragma once

#include <QStringList>

#include "app/engines/asked_prediction.h"

namespace lockstep::app {

/// Opened images that are still to be predicted with one checkpoint: a few at a time, so that those
/// that are done are shown meanwhile, and a request stays short.
class OpenedBatches {
 public:
  void start(qint64 step, const QStringList& files);
  void clear() { *this = {}; }
  bool isRunning() const { return !files_.isEmpty(); }
  qint64 step() const { return step_; }
  /// What is to be asked now, while isRunning().
  AskedPrediction current() const;
  /// The current ones are done.
  void advance();
  /// Images that are done, and all.
  qint64 done() const { return done_; }
  qint64 of() const { return done_ + files_.size(); }

 private:
  QStringList files_;  ///< not done yet
  qint64 step_ = 0, done_ = 0;
};

}  // namespace lockstep::app
