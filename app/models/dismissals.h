#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// Which message a person has sent away, of each run: it does not come back, not with the next
/// window either. Those of the runs that were dismissed longest ago are forgotten past a limit.
class Dismissals : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// What was dismissed last of a run; empty: nothing.
  QString of(const QString& runFolder) const { return dismissed_.value(runFolder); }
  /// `message` names one of the run's in few characters, without a tab.
  void add(const QString& runFolder, const QString& message);
  /// Lines to be kept, oldest first.
  QStringList kept() const;
  void restore(const QStringList& kept);

 Q_SIGNALS:
  void changed();

 private:
  void set(const QString& runFolder, const QString& message);

  QHash<QString, QString> dismissed_;
  QStringList order_;  ///< runs, the one of the newest dismissal last
};

}  // namespace lockstep::app
