#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>

#include "app/files/file_watch.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// The file of the open experiment: its text as last read or written here, and whether it has
/// changed since. Compares contents, not times. Its static functions block as long as the disk
/// does, for any thread; the others do not.
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

  /// What is on the disk. An outdated one is not applied.
  struct Look {
    int number = 0;
    State state = State::Same;
    QString onDisk{}, readError{};
  };

  /// Watches a file whose text was `known` when it was last read or written. `real`: its
  /// realPath().
  void attach(const QString& path, const QString& real, const QString& known);
  void detach();
  bool isAttached() const { return !path_.isEmpty(); }
  QString path() const { return path_; }
  QString real() const { return real_; }
  QString known() const { return known_; }
  /// State at the last look.
  State state() const { return state_; }
  QString onDisk() const { return onDisk_; }
  /// Why the changed file cannot be read; empty: it can.
  QString readError() const { return readError_; }
  /// Work for any thread that reads the file.
  std::function<Look()> look();
  /// Emits changed() if state, text or error changed.
  State apply(const Look& look);
  /// Looks in the background.
  void check();

  /// Writes a new file beside it: NAME-2.yaml, or the first free number. Returns its path. Throws
  /// Error.
  static QString writeCopy(const QString& path, const QString& text);
  /// DIR/NAME-2.yaml for DIR/NAME.yaml and 2.
  static QString numbered(const QString& path, int number);
  /// The name that writeCopy() would use now.
  static QString copyName(const QString& path);

 Q_SIGNALS:
  void changed();
  /// check() has not been answered for some seconds; then it has.
  void overdue();
  void answered();

 private:
  QString path_, real_, known_, onDisk_, readError_;
  State state_ = State::Same;
  FileWatch watch_;
  QTimer settle_;   ///< waits until another program has finished writing
  int looks_ = 0;   ///< number of the last one that was begun
  int oldest_ = 0;  ///< looks with a lower number are outdated
  jobs::Job check_;
  bool again_ = false;  ///< asked for while check_ is running
  bool isOverdue_ = false;
};

}  // namespace lockstep::app
