#include "app/command_line.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "app/engines/remote_place.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kPatience{1};

/// A disk that does not answer has what is asked for: the window says that it waits for it.
bool mayExist(const QString& path) {
  const auto answer = std::make_shared<std::promise<bool>>();
  auto exists = answer->get_future();
  std::thread([path, answer] { answer->set_value(QFileInfo::exists(path)); }).detach();
  return exists.wait_for(kPatience) != std::future_status::ready || exists.get();
}

Error usageError(const QString& text) { return UserError(text.toStdString()); }

Page page(const QString& value) {
  if (value == QLatin1String("configure")) return Page::Configure;
  if (value == QLatin1String("monitor")) return Page::Monitor;
  if (value == QLatin1String("predictions")) return Page::Predictions;
  if (value == QLatin1String("data")) return Page::Data;
  if (value == QLatin1String("compare")) return Page::Compare;
  throw usageError(
      QStringLiteral(
          "--page %1: no such page; choose configure, monitor, predictions, data or compare")
          .arg(value));
}

widgets::ThemeSwitch::Mode theme(const QString& value) {
  using Mode = widgets::ThemeSwitch::Mode;
  if (value == QLatin1String("light")) return Mode::Light;
  if (value == QLatin1String("dark")) return Mode::Dark;
  if (value == QLatin1String("system")) return Mode::System;
  throw usageError(
      QStringLiteral("--theme %1: no such theme; choose light, dark or system").arg(value));
}

double scale(const QString& value) {
  bool ok = false;
  const double number = value.toDouble(&ok);
  if (!ok || !(number >= 0.5 && number <= 4))
    throw usageError(QStringLiteral("--scale %1: is not a number from 0.5 to 4").arg(value));
  return number;
}

QSize size(const QString& value) {
  static const QRegularExpression pattern(QStringLiteral("^(\\d{1,5})x(\\d{1,5})$"));
  const auto match = pattern.match(value);
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  if (!match.hasMatch() || size.width() < 640 || size.height() < 400 || size.width() > 16384 ||
      size.height() > 16384)
    throw usageError(
        QStringLiteral("--size %1: is not WIDTHxHEIGHT in pixels from 640x400 to 16384x16384")
            .arg(value));
  return size;
}

QString screenshot(const QString& value) {
  const QFileInfo file(value);
  if (!value.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
    throw usageError(
        QStringLiteral("--screenshot %1: pictures are saved as PNG; name a file that ends in .png")
            .arg(value));
  if (!QFileInfo(file.absolutePath()).isDir())
    throw usageError(
        QStringLiteral("--screenshot %1: no such folder: %2").arg(value, file.absolutePath()));
  return file.absoluteFilePath();
}

}  // namespace

CommandLine parseCommandLine(const QStringList& arguments) {
  CommandLine line;
  bool onlyPaths = false;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    QString name = arguments[i], value;
    if (onlyPaths || !name.startsWith(QLatin1Char('-')) || name == QLatin1String("-")) {
      if (RemotePlace::isRemote(name)) {
        const auto place = RemotePlace::parse(name);
        if (!place) throw usageError(QStringLiteral("%1: is not ssh://HOST/FOLDER").arg(name));
        line.paths.append(place->address());
        continue;
      }
      const QFileInfo file(name);
      if (!mayExist(name)) throw usageError(QStringLiteral("%1: no such file or folder").arg(name));
      line.paths.append(QDir::cleanPath(file.absoluteFilePath()));
      continue;
    }
    if (name == QLatin1String("--")) {
      onlyPaths = true;
      continue;
    }
    line.help = line.help || name == QLatin1String("--help") || name == QLatin1String("-h");
    line.version = line.version || name == QLatin1String("--version");
    if (line.help || line.version) return line;
    const qsizetype equals = name.indexOf(QLatin1Char('='));
    const bool hasValue = equals > 0;
    if (hasValue) value = name.mid(equals + 1);
    if (hasValue) name.truncate(equals);
    static const QStringList kOptions{QStringLiteral("--page"), QStringLiteral("--theme"),
                                      QStringLiteral("--scale"), QStringLiteral("--screenshot"),
                                      QStringLiteral("--size")};
    if (!kOptions.contains(name))
      throw usageError(QStringLiteral("%1: unknown option; see lockstep --help").arg(name));
    if (!hasValue) {
      if (i + 1 >= arguments.size())
        throw usageError(QStringLiteral("%1: its value is missing").arg(name));
      value = arguments[++i];
    }
    if (name == QLatin1String("--page")) line.page = page(value);
    if (name == QLatin1String("--theme")) line.theme = theme(value);
    if (name == QLatin1String("--theme")) line.themeGiven = true;
    if (name == QLatin1String("--scale")) line.scale = scale(value);
    if (name == QLatin1String("--screenshot")) line.screenshot = screenshot(value);
    if (name == QLatin1String("--size")) line.size = size(value);
  }
  return line;
}

QString helpText() {
  return QStringLiteral(
      "lockstep [RUN|CONFIG|FOLDER|F.lockstep|ssh://HOST/FOLDER]… [options]\n"
      "\n"
      "The desktop application for instance-segmentation experiments.\n"
      "  RUN     a run folder, to show its curves and predictions\n"
      "  CONFIG  an experiment file (YAML), to edit and train\n"
      "  FOLDER  folders whose runs are listed (default: $LOCKSTEP_RUNS, else ./runs)\n"
      "  F.lockstep         a run that lockstep-engine pack wrote as one file; only read\n"
      "  ssh://HOST/FOLDER  a run, or a folder of runs, on another machine: HOST, USER@HOST or\n"
      "          HOST:PORT, and a path there (/~/… in the home folder); $LOCKSTEP_SSH, else ssh,\n"
      "          must reach it without a password, and lockstep-engine be found there\n"
      "\n"
      "  --page configure|monitor|predictions|data|compare   the page to show first\n"
      "  --theme light|dark|system              colour theme of this window; the saved theme is\n"
      "                                         not changed\n"
      "  --scale N                              scale factor of text and controls, 0.5 to 4\n"
      "  --size WxH                             size of the window, in pixels\n"
      "  --screenshot F.png                     save a picture of the loaded window, and exit;\n"
      "                                         needs no display\n"
      "  --version                              print the version\n"
      "  --help                                 print this text\n");
}

}  // namespace lockstep::app
