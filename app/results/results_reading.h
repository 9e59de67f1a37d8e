#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/results/opened_results.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// Reads one results file at a time for a page that says how far it is. The file that was read last
/// is not parsed again while it is the same on the disk, as for another truth. GUI thread only; no
/// method blocks.
class ResultsReading : public QObject {
  Q_OBJECT

 public:
  ResultsReading();
  ~ResultsReading() override;

  /// As openResults() does, in the place of what is being read.
  void start(const ResultsSource& source, const std::optional<RunDataset>& truth);
  /// ended() is not emitted. A file that is being parsed still is until its end, for the next time.
  void cancel();
  /// The same, and the file leaves the memory with the last who shows its results.
  void forget();
  bool isRunning() const { return progress_ != nullptr; }
  /// "120 of 500 images"; empty: their number is not known yet.
  QString progress() const;

 Q_SIGNALS:
  void progressed();
  void ended(const lockstep::app::OpenedResults& opened);

 private:
  QString file_;
  std::shared_ptr<ParsedResults> parsed_;      ///< of the file
  std::shared_ptr<ReadingProgress> progress_;  ///< null: nothing is being read
  jobs::Job job_;
  QTimer ticks_;
};

}  // namespace lockstep::app
