#pragma once

#include <QString>
#include <QWidget>

#include "app/models/run_status.h"

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace lockstep::app {

class StatePill;

/// The bar at the top: Train with the name of the experiment, then buttons, name, state and metrics
/// of the current run. Nothing moves when names or states change. Narrow windows hide metrics.
class TopBar : public QWidget {
  Q_OBJECT

 public:
  explicit TopBar(QWidget* parent = nullptr);

  void setStatus(const TopBarStatus& status);
  /// The experiment that Train trains (such as "droplets.yaml"; empty: none), whether it can be
  /// trained, and Train's tool tip.
  void setExperiment(const QString& name, bool isTrainable, const QString& tip);
  /// Who trains on this machine, so that Queue is offered beside Train; empty: nobody.
  void setBusy(const QString& who);
  /// A run is being started.
  void setStarting(bool starting);
  void setMenu(QMenu* menu);
  void openMenu();
  bool canPauseOrResume() const;
  bool canStop() const;

 Q_SIGNALS:
  void trainRequested();
  void queueRequested();
  void pauseRequested();
  void resumeRequested();
  void stopRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void buildUi();
  void buildWidgets();
  void layOut();
  void connectSignals();
  void updateIcons();
  void updateButtons();
  void reserveWidths();
  void showMetric(QLabel* label, const QString& text);
  void updateTrain();
  void fitNames();
  void fitMetrics();

  QLabel* brand_ = nullptr;
  QWidget* names_ = nullptr;
  QLabel* runName_ = nullptr;
  QLabel* hiddenNote_ = nullptr;  ///< below the name
  QPushButton* train_ = nullptr;
  QPushButton* queue_ = nullptr;  ///< while others train
  QPushButton* pause_ = nullptr;
  QPushButton* stop_ = nullptr;
  StatePill* pill_ = nullptr;
  QLabel* step_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QLabel* timeLeft_ = nullptr;
  QLabel* speed_ = nullptr;
  QLabel* averagePrecision_ = nullptr;
  QLabel* heldOut_ = nullptr;
  QToolButton* menu_ = nullptr;
  TopBarStatus status_;
  QString experiment_;
  bool isTrainable_ = false;
  bool starting_ = false;
};

}  // namespace lockstep::app
