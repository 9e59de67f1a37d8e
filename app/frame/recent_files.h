#pragma once

#include <QObject>
#include <QStringList>

namespace lockstep::app {

/// The experiment files that were opened or saved last, the latest first.
class RecentFiles : public QObject {
  Q_OBJECT

 public:
  static constexpr qsizetype kMost = 9;

  explicit RecentFiles(QObject* parent = nullptr) : QObject(parent) {}

  /// Absolute paths.
  const QStringList& files() const { return files_; }
  void add(const QString& path);
  /// Those of an earlier session.
  void restore(const QStringList& files);
  void clear() { restore({}); }

 Q_SIGNALS:
  void changed();

 private:
  QStringList files_;
};

}  // namespace lockstep::app
