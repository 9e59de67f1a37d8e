#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <memory>
#include <vector>

#include "app/docks/inspected.h"
#include "app/runs/open/run_record.h"
#include "app/runs/open/shown_run.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::widgets {
class CurveCard;
}

namespace lockstep::app {

class FactPanel;
class PageArea;
class RunListModel;

/// Tells the inspector what is selected: the current run, on Monitor the card that had the focus
/// last, on Predictions the chosen instance. Works only while the inspector can be seen.
class Inspector : public QObject {
  Q_OBJECT

 public:
  Inspector(FactPanel* panel, RunListModel* runs, PageArea* pages, QObject* parent);

  /// The current run first.
  void setRuns(const std::vector<ShownRun>& runs);

 public Q_SLOTS:
  void updateSoon();

 private:
  void connectPredictions();
  void takeFocus(QWidget* focused);
  void update();
  void readRecord();
  Inspected thingOfRun() const;
  Inspected thingOfCard() const;

  FactPanel* panel_;
  RunListModel* runList_;
  PageArea* pages_;
  std::vector<ShownRun> runs_;
  std::unique_ptr<QObject> connections_;  ///< to these runs
  QPointer<widgets::CurveCard> card_;
  RunRecord record_;
  QString recordOf_;  ///< run that it is of, or is read of; empty: of none
  jobs::Job reading_;
  QTimer pause_;
  bool hasPredictions_ = false;  ///< their view is connected
};

}  // namespace lockstep::app
