#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <QStringList>
#include <functional>

#include "widgets/jobs/latest_job.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lockstep::app {

/// Asks from which checkpoint of a run a new one starts, and what it changes.
class ForkDialog : public QDialog {
  Q_OBJECT

 public:
  struct Checkpoint {
    qint64 step = 0;
    bool isBest = false;
  };
  /// What is wrong with these KEY=VALUE for a fork from a step; empty: nothing. Called in another
  /// thread: it may read the disk.
  using Check = std::function<QString(qint64 step, const QStringList& overrides)>;

  ForkDialog(const QString& run, const QList<Checkpoint>& checkpoints, Check check,
             QWidget* parent);

  /// A change, KEY=VALUE, and the last checkpoint up to this step, if there is one.
  void propose(const QString& change, qint64 step);
  qint64 step() const;
  QStringList overrides() const;

 private:
  void buildUi(const QString& run);
  QLayout* buildButtons();
  void update();
  void showFault(const QString& fault);

  Check check_;
  jobs::LatestJob<QString> checking_;
  QComboBox* checkpoints_ = nullptr;
  QPlainTextEdit* changes_ = nullptr;
  QLabel* fault_ = nullptr;
  QPushButton* start_ = nullptr;
};

}  // namespace lockstep::app
