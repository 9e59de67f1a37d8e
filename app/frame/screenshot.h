#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

namespace lockstep::app {

class MainWindow;

/// Drops Qt's notes about what the platform plugin of a session without a display does not support.
/// Other messages are still printed. Call it before the QApplication is created.
void dropPlatformNotes();

/// Saves a picture of the window once all has loaded, and exits the application with 0, or with 1
/// if it could not be saved.
class Screenshot : public QObject {
  Q_OBJECT

 public:
  /// `path` empty: does nothing.
  Screenshot(MainWindow* window, const QString& path);
  void saveWhenReady();

 private:
  void check();
  void save();

  MainWindow* window_;
  QString path_;
  QTimer giveUp_;
  bool scheduled_ = false;
};

}  // namespace lockstep::app
