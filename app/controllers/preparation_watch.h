#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// How far packaging/quickstart.sh is, which opens the window before it has built lockstep-worker
/// and made the data of its experiment.
struct Preparation {
  enum class Stage {
    None,      ///< nothing is being prepared
    Building,  ///< lockstep-worker
    Making,    ///< the data
    Ended,     ///< the script has ended before it was done
  };
  Stage stage = Stage::None;
  int percent = -1;      ///< -1: unknown
  int secondsLeft = -1;  ///< likewise

  bool isPending() const { return stage != Stage::None; }
  QString title(const QString& experiment) const;
  QString text() const;
  bool operator==(const Preparation&) const = default;
};

/// Watches how far the data of an experiment are prepared: the script keeps preparing.json beside
/// its experiment, locked, and removes it when all is there. No method blocks.
class PreparationWatch : public QObject {
  Q_OBJECT

 public:
  explicit PreparationWatch(QObject* parent = nullptr);

  /// Of the experiment with this file, from now on.
  void watch(const QString& experimentFile);
  const Preparation& preparation() const { return preparation_; }
  /// Whether the file was looked for.
  bool isKnown() const { return isKnown_; }

 Q_SIGNALS:
  /// Also when it is known at first.
  void changed();

 private:
  void look();

  QString file_;
  Preparation preparation_;
  bool isKnown_ = true;
  QTimer timer_;  ///< runs while something is being prepared
  jobs::Job look_;
};

}  // namespace lockstep::app
