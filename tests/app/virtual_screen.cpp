#include "tests/app/virtual_screen.h"

#include <QStandardPaths>

namespace lockstep::tests {
namespace {

constexpr int kScreenPatienceMs = 30000;

}  // namespace

bool VirtualScreen::isPossible() {
  return !QStandardPaths::findExecutable(QStringLiteral("Xvfb")).isEmpty() &&
         !QStandardPaths::findExecutable(QStringLiteral("xdotool")).isEmpty();
}

VirtualScreen::VirtualScreen() {
  // It chooses a free display number and prints it. Without -noreset it would reset, and be
  // unreachable meanwhile, whenever its last client exits, as xdotool often does.
  server_.start(QStringLiteral("Xvfb"),
                {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-noreset"),
                 QStringLiteral("-screen"), QStringLiteral("0"), QStringLiteral("1280x900x24"),
                 QStringLiteral("-nolisten"), QStringLiteral("tcp")});
  if (!server_.waitForReadyRead(kScreenPatienceMs)) return;
  const QString number = QString::fromLatin1(server_.readAllStandardOutput()).trimmed();
  if (!number.isEmpty()) display_ = QLatin1Char(':') + number;
}

VirtualScreen::~VirtualScreen() {
  server_.terminate();
  server_.waitForFinished(kScreenPatienceMs);
}

QProcessEnvironment VirtualScreen::environment() const {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("DISPLAY"), display_);
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
  return environment;
}

QString VirtualScreen::control(const QStringList& arguments) const {
  QProcess hand;
  hand.setProcessEnvironment(environment());
  hand.start(QStringLiteral("xdotool"), arguments);
  hand.waitForFinished(kScreenPatienceMs);
  return QString::fromUtf8(hand.readAllStandardOutput());
}

QStringList VirtualScreen::windowsOf(qint64 pid) const {
  // The name keeps out windows that are destroyed during the search, which it reports as visible.
  return control({QStringLiteral("search"), QStringLiteral("--all"),
                  QStringLiteral("--onlyvisible"), QStringLiteral("--pid"), QString::number(pid),
                  QStringLiteral("--name"), QStringLiteral(".")})
      .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

void VirtualScreen::press(const QString& window, const QString& keys) const {
  control({QStringLiteral("windowfocus"), QStringLiteral("--sync"), window, QStringLiteral("key"),
           QStringLiteral("--clearmodifiers"), keys});
}

void VirtualScreen::type(const QString& window, const QString& text) const {
  // xdotool types a newline as the key Linefeed, which keyboards do not have.
  const QStringList lines = text.split(QLatin1Char('\n'));
  for (int i = 0; i < lines.size(); ++i) {
    if (i > 0) press(window, QStringLiteral("Return"));
    if (lines[i].isEmpty()) continue;
    control({QStringLiteral("windowfocus"), QStringLiteral("--sync"), window,
             QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("15"), lines[i]});
  }
}

void VirtualScreen::click(const QString& window, int x, int y) const {
  control({QStringLiteral("windowfocus"), QStringLiteral("--sync"), window,
           QStringLiteral("mousemove"), QStringLiteral("--window"), window, QString::number(x),
           QString::number(y), QStringLiteral("click"), QStringLiteral("1")});
}

}  // namespace lockstep::tests
