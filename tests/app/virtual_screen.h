#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace lockstep::tests {

/// An X server without a monitor, and simulated input (Xvfb, xdotool).
class VirtualScreen {
 public:
  /// Whether the two programs are installed.
  static bool isPossible();

  VirtualScreen();
  ~VirtualScreen();
  bool isThere() const { return !display_.isEmpty(); }
  /// Environment of a program that is to use this display.
  QProcessEnvironment environment() const;

  /// Visible windows of a process, the newest last.
  QStringList windowsOf(qint64 pid) const;
  /// Focuses a window and presses keys ("ctrl+s") there.
  void press(const QString& window, const QString& keys) const;
  void type(const QString& window, const QString& text) const;
  void click(const QString& window, int x, int y) const;

 private:
  QString control(const QStringList& arguments) const;

  QProcess server_;
  QString display_;
};

}  // namespace lockstep::tests
