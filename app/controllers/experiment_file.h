#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace lockstep::app {

/// The file of the open experiment: its text as it was last read or written here, and what became
/// of it since. Contents are compared, not times. Small files: read and written at once.
class ExperimentFile : public QObject {
  Q_OBJECT

 public:
  enum class State { Same, Changed, Gone };

  explicit ExperimentFile(QObject* parent = nullptr);

  /// Throws Error for what is missing, no file, too large for an experiment, or not UTF-8.
  static QString read(const QString& path);
  /// Replaces the file as a whole or leaves it untouched; its permissions and links stay. Throws
  /// Error.
  static void write(const QString& path, const QString& text);
  /// `path` with every link followed; a file that is not there keeps its name.
  static QString realPath(const QString& path);

  /// Watches a file whose text is known to have been `known`. state() is told when check() says so.
  void attach(const QString& path, const QString& known);
  void detach();
  bool isAttached() const { return !path_.isEmpty(); }
  QString path() const { return path_; }
  QString known() const { return known_; }
  /// Of the last check.
  State state() const { return state_; }
  QString onDisk() const { return onDisk_; }
  /// Why the file that changed cannot be read; empty: it can.
  QString readError() const { return whyUnreadable_; }
  /// Reads the file. Emits changed() when that tells anything new.
  State check();

  /// Makes a new file beside this one, NAME-2.yaml or the first that is free. Throws Error.
  QString writeCopy(const QString& text) const;
  /// The name it would have now.
  QString copyName() const;

 Q_SIGNALS:
  void changed();

 private:
  void watch();

  QString path_, known_, onDisk_, whyUnreadable_;
  State state_ = State::Same;
  QFileSystemWatcher watcher_;
  QTimer settle_;  ///< others write in several steps
};

}  // namespace lockstep::app
