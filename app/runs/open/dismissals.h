#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// The message that was last dismissed, for each run, so that it is not shown again, also after a
/// restart. Above a limit the oldest dismissals are dropped.
class Dismissals : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// The message of a run that was last dismissed; empty: none.
  QString of(const QString& runFolder) const { return dismissed_.value(runFolder); }
  /// `message`: a short id of the message, without a tab.
  void add(const QString& runFolder, const QString& message);
  /// Lines for restore(), oldest first.
  QStringList kept() const;
  void restore(const QStringList& kept);

 Q_SIGNALS:
  void changed();

 private:
  void set(const QString& runFolder, const QString& message);

  QHash<QString, QString> dismissed_;
  QStringList order_;  ///< runs, oldest dismissal first
};

}  // namespace lockstep::app
