#pragma once

#include <QCoreApplication>
#include <QString>
#include <QWidget>
#include <optional>

#include "engine/base/open_enum.h"
#include "engine/protocol/run_state.h"

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace lockstep::app {

class StatePill;

/// State of the current run as the top bar shows it, and the commands that are possible.
struct TopBarStatus {
  QString name;
  QString tip{};                             ///< its folder, and what else the list says of it
  base::OpenEnum<protocol::RunState> state;  ///< empty: no run
  qint64 step = 0, maxSteps = 0;
  std::optional<double> secondsLeft, imagesPerSecond, averagePrecision, heldOutLoss;
  QString averagePrecisionName;  ///< "mask AP"
  /// What the two metrics are of, for their tool tips.
  QString averagePrecisionScope, heldOutLossScope;
  bool isHidden = false;   ///< hidden by the filter of the run list
  bool isLive = false;     ///< connected to its engine
  bool canResume = false;  ///< it ended before its last step and can be resumed

  bool isWorking() const;
  bool canStop() const;
  /// The pause button resumes instead.
  bool resumes() const;
  /// Such as "step 120 / 400".
  QString stepText() const;
  /// The widest text that stepText() can return; empty: unknown.
  QString widestStepText() const;

  Q_DECLARE_TR_FUNCTIONS(TopBar)
};

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
  /// The pause button resumes instead.
  bool resumes() const { return status_.resumes(); }
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
  QString buttonText(const QString& word) const;
  void fitButtons();
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
