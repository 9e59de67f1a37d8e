#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// Progress of packaging/quickstart.sh, which opens the window before lockstep-worker is built and
/// the data of its experiment are made.
struct Preparation {
  enum class Stage {
    None,      ///< nothing is being prepared
    Building,  ///< lockstep-worker
    Making,    ///< the data
    Ended,     ///< the script ended early
  };
  Stage stage = Stage::None;
  int percent = -1;      ///< -1: unknown
  int secondsLeft = -1;  ///< likewise

  /// True while the script works on it. After that, missing data are errors like any others.
  bool isPending() const { return stage == Stage::Building || stage == Stage::Making; }
  QString title(const QString& experiment) const;
  QString text() const;
  bool operator==(const Preparation&) const = default;
};

/// Watches the preparation of an experiment's data. The script locks preparing.json beside the
/// experiment, and removes it when the data are ready. No method blocks.
class PreparationWatch : public QObject {
  Q_OBJECT

 public:
  explicit PreparationWatch(QObject* parent = nullptr);

  /// Watches the data of this experiment instead. Empty: watches nothing.
  void watch(const QString& experimentFile);
  const Preparation& preparation() const { return preparation_; }
  /// False until preparing.json has been looked for once.
  bool isKnown() const { return isKnown_; }

 Q_SIGNALS:
  /// Also emitted when isKnown() becomes true.
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
