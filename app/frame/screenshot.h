#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

namespace lockstep::app {

class MainWindow;

/// Saves a picture of the window once what it shows has loaded, and ends the application: 0 saved,
/// 1 not.
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
