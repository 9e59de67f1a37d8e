#pragma once

#include <QString>
#include <QWidget>

#include "app/models/run_status.h"
#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace lockstep::app {

class StatePill;

/// The bar at the top: Train, which names the experiment that it trains, and apart from it the
/// buttons that act on the chosen run, its name, and how far it is. Nothing moves when names or
/// states change. Narrow windows lose figures from the right.
class TopBar : public QWidget {
  Q_OBJECT

 public:
  explicit TopBar(QWidget* parent = nullptr);

  void setStatus(const RunStatus& status);
  /// The experiment that Train trains ("droplets.yaml", empty: none), whether it can be, and the
  /// tip that says why not.
  void setExperiment(const QString& name, bool isTrainable, const QString& tip);
  /// A run is being started.
  void setStarting(bool starting);
  void setMenu(QMenu* menu);
  void openMenu();
  bool canPauseOrResume() const;
  bool canStop() const;

 Q_SIGNALS:
  void trainRequested();
  void pauseRequested();
  void resumeRequested();
  void stopRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void buildUi();
  void buildParts();
  void layOut();
  void connectSignals();
  void updateIcons();
  void updateButtons();
  void reserveWidths();
  void showFigure(QLabel* label, const QString& text);
  void updateTrain();
  void fitNames();
  void fitFigures();

  QLabel* brand_ = nullptr;
  QWidget* names_ = nullptr;
  QLabel* runName_ = nullptr;
  QLabel* hiddenNote_ = nullptr;  ///< under the name
  QPushButton* train_ = nullptr;
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
  RunStatus status_;
  QString experiment_;
  bool isTrainable_ = false;
  bool starting_ = false;
};

}  // namespace lockstep::app
