#include "app/frame/desktop_notice.h"

#include <QApplication>
#include <QSystemTrayIcon>

#include "widgets/literal_text.h"

namespace lockstep::app {

QString withoutTags(const QString& text) {
  return widgets::inertText(text).replace(u'<', u'\u2039');
}

DesktopNotice::DesktopNotice(QWidget* window) : QObject(window), window_(window) {}

void DesktopNotice::show(const QString& title, const QString& text, const QString& subject) {
  if (!isEnabled_ || window_->isActiveWindow()) return;
  QApplication::alert(window_);
  if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
  if (!tray_) {
    tray_ = new QSystemTrayIcon(QApplication::windowIcon(), this);
    tray_->setToolTip(QStringLiteral("Lockstep"));
    const auto choose = [this] {
      window_->show();
      window_->raise();
      window_->activateWindow();
      Q_EMIT chosen(subject_);
      tray_->hide();
    };
    connect(tray_, &QSystemTrayIcon::messageClicked, this, choose);
    connect(tray_, &QSystemTrayIcon::activated, this, choose);
  }
  subject_ = subject;
  tray_->show();
  tray_->showMessage(withoutTags(title), withoutTags(text), QApplication::windowIcon());
}

}  // namespace lockstep::app
