#pragma once

#include <QObject>
#include <QString>

class QSystemTrayIcon;
class QWidget;

namespace lockstep::app {

/// Replaces `<` with a similar letter: some desktops parse a notice as markup, others show it as it
/// is. Control characters lose their effects.
QString withoutTags(const QString& text);

/// Tells the person at the desktop what happened while the window is not the active one: by the
/// system tray, or where there is none by the window's entry in the task bar.
class DesktopNotice : public QObject {
  Q_OBJECT

 public:
  explicit DesktopNotice(QWidget* window);

  void setEnabled(bool enabled) { isEnabled_ = enabled; }
  bool isEnabled() const { return isEnabled_; }
  /// `subject`: what chosen() names when the notice is clicked.
  void show(const QString& title, const QString& text, const QString& subject);

 Q_SIGNALS:
  void chosen(const QString& subject);

 private:
  QWidget* window_;
  QSystemTrayIcon* tray_ = nullptr;  ///< made for the first notice
  QString subject_;
  bool isEnabled_ = false;
};

}  // namespace lockstep::app
