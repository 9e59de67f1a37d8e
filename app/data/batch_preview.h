#pragma once

#include <QObject>
#include <QStringList>
#include <cstdint>

#include "app/data/experiment_command.h"

namespace lockstep::app {

/// `dataset preview` of an experiment, saved or not: the first training batches as the model gets
/// them, a picture each. One at a time; destroying it ends it. No method blocks.
class BatchPreview : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit BatchPreview(const QString& program = {}, QObject* parent = nullptr);

  bool isRunning() const { return command_.isRunning(); }
  /// With this seed in place of the experiment's own. The last pictures are gone.
  void draw(config::Experiment experiment, std::int64_t seed);
  /// canceled() follows, and neither finished() nor failed().
  void cancel() { command_.cancel(); }

 Q_SIGNALS:
  void progressed(const QString& text);
  /// Picture files in the order of the steps; they are there until the next ones are drawn.
  void finished(const QStringList& sheets);
  void failed(const QString& reason);
  void canceled();

 private:
  ExperimentCommand command_;
};

}  // namespace lockstep::app
