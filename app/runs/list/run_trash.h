#pragma once

#include <QObject>
#include <QStringList>
#include <vector>

namespace lockstep::app {

/// Moves run folders to the desktop's trash and back, in the background.
class RunTrash : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  void move(const QStringList& folders);
  /// Moves back what the last move() moved that was not yet moved back.
  void undo();
  bool canUndo() const { return !moves_.empty(); }

 Q_SIGNALS:
  /// Those that were moved; `failure`: why others were not, a line for each; empty: all were.
  void moved(const QStringList& folders, const QString& failure);
  void restored(const QStringList& folders, const QString& failure);

 private:
  struct Moved {
    QString folder, inTrash;
  };
  struct Outcome {
    std::vector<Moved> moved;
    QStringList failures;
  };
  static Outcome moveAll(const QStringList& folders);
  static Outcome restoreAll(const std::vector<Moved>& moved);

  std::vector<std::vector<Moved>> moves_;
};

}  // namespace lockstep::app
