#pragma once

#include <QObject>
#include <tuple>

#include "engine/config/experiment.h"

namespace lockstep::app {

/// Counts the draws of an epoch and the held-out images in the background, to convert epochs to
/// steps.
class ImageCounter : public QObject {
  Q_OBJECT

 public:
  explicit ImageCounter(QObject* parent = nullptr);

  /// Emits counted() at once with what is known of this dataset, and again once it is counted.
  /// The same one is not counted twice in a row.
  void count(const config::DatasetConfig& dataset);
  /// Counts the next one anew.
  void forget() { key_ = {}; }
  bool isCounting() const { return counted_ != counting_; }

 Q_SIGNALS:
  /// 0: unknown.
  void counted(qint64 drawsPerEpoch, qint64 valImages);

 private:
  /// What the counts depend on: the annotation files, skip_empty and repeat_threshold.
  using Key = std::tuple<std::string, std::string, bool, double>;

  Key key_;
  qint64 drawsPerEpoch_ = 0, valImages_ = 0;
  int counting_ = 0, counted_ = 0;  ///< number of the last count started, and of the last finished
};

}  // namespace lockstep::app
