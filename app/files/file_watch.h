#pragma once

#include <QObject>
#include <QStringList>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/file_descriptor.h"

namespace lockstep::app {

/// Tells that files or folders may have changed (inotify). Unlike QFileSystemWatcher it looks for
/// the paths in the thread that names them, as a disk may not answer.
class FileWatch : public QObject {
  Q_OBJECT

 public:
  explicit FileWatch(QObject* parent = nullptr);

  class Paths {
   public:
    Paths();
    /// Watches these instead of those of before; what is not there is left out. Any thread; blocks.
    /// A call with a lower number than one before does nothing.
    void set(const QStringList& paths, int number);

   private:
    friend class FileWatch;
    const base::FileDescriptor inotify_;
    std::mutex mutex_;  ///< guards the others
    int number_ = 0;
    std::vector<int> watches_;
  };
  const std::shared_ptr<Paths>& paths() const { return paths_; }

 Q_SIGNALS:
  /// `isWritten`: content of a file, which may be written for a while.
  void changed(bool isWritten);

 private:
  void read();

  std::shared_ptr<Paths> paths_ = std::make_shared<Paths>();
};

}  // namespace lockstep::app
