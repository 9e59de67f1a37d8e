#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace lockstep::app {

/// The file of the open experiment: its text as last read or written here, and whether it has
/// changed since. Compares contents, not times. Reads and writes synchronously; files are small.
class ExperimentFile : public QObject {
  Q_OBJECT

 public:
  enum class State { Same, Changed, Gone };

  explicit ExperimentFile(QObject* parent = nullptr);

  /// Throws Error if the file is missing, not a regular file, too large for an experiment or not
  /// UTF-8.
  static QString read(const QString& path);
  /// Replaces the file atomically; its permissions and links stay. Throws Error.
  static void write(const QString& path, const QString& text);
  /// `path` with links resolved; works for a file that does not exist, too.
  static QString realPath(const QString& path);

  /// Watches a file whose text was `known` when it was last read or written.
  void attach(const QString& path, const QString& known);
  void detach();
  bool isAttached() const { return !path_.isEmpty(); }
  QString path() const { return path_; }
  QString known() const { return known_; }
  /// State at the last check.
  State state() const { return state_; }
  QString onDisk() const { return onDisk_; }
  /// Why the changed file cannot be read; empty: it can.
  QString readError() const { return readError_; }
  /// Reads the file. Emits changed() if state, text or error changed.
  State check();

  /// Writes a new file in the same folder: NAME-2.yaml, or the first free number. Throws Error.
  QString writeCopy(const QString& text) const;
  /// The name that writeCopy() would use now.
  QString copyName() const;

 Q_SIGNALS:
  void changed();

 private:
  void watch();

  QString path_, known_, onDisk_, readError_;
  State state_ = State::Same;
  QFileSystemWatcher watcher_;
  QTimer settle_;  ///< waits until another program has finished writing
};

}  // namespace lockstep::app
