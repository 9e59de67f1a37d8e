#include "app/frame/screenshot.h"

#include <QApplication>
#include <QPixmap>
#include <chrono>
#include <cstdio>

#include "app/frame/main_window.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kLongestWait{120};

QtMessageHandler printMessage = nullptr;

void printUnlessPlatformNote(QtMsgType type, const QMessageLogContext& context,
                             const QString& text) {
  if (!text.startsWith(QLatin1String("This plugin does not support ")))
    printMessage(type, context, text);
}

}  // namespace

void dropPlatformNotes() {
  if (!printMessage) printMessage = qInstallMessageHandler(printUnlessPlatformNote);
}

Screenshot::Screenshot(MainWindow* window, const QString& path) : window_(window), path_(path) {
  if (path_.isEmpty()) return;
  connect(window_, &MainWindow::readyChanged, this, &Screenshot::check);
  giveUp_.setSingleShot(true);
  connect(&giveUp_, &QTimer::timeout, this, [this] {
    std::fprintf(stderr, "lockstep: --screenshot: %s was still loading after two minutes\n",
                 qPrintable(window_->whatIsLoading()));
    QApplication::exit(1);
  });
}

void Screenshot::saveWhenReady() {
  if (path_.isEmpty()) return;
  giveUp_.start(kLongestWait);
  check();
}

void Screenshot::check() {
  if (scheduled_ || !window_->isReady()) return;
  scheduled_ = true;
  // Let pending layout and paint events, which may post further ones, be handled first.
  QTimer::singleShot(0, this, [this] {
    QCoreApplication::sendPostedEvents();
    scheduled_ = false;
    if (window_->isReady()) save();
  });
}

void Screenshot::save() {
  giveUp_.stop();
  disconnect(window_, nullptr, this, nullptr);
  if (window_->grab().save(path_, "PNG")) {
    QApplication::exit(0);
    return;
  }
  std::fprintf(
      stderr, "lockstep: %s cannot be written: check the folder's permissions and the free space\n",
      qPrintable(path_));
  QApplication::exit(1);
}

}  // namespace lockstep::app
