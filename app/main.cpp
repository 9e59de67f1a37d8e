#include <QApplication>
#include <QIcon>
#include <QSettings>
#include <QStandardPaths>
#include <cstdio>
#include <filesystem>

#include "app/command_line.h"
#include "app/documents/draft_folder.h"
#include "app/frame/main_window.h"
#include "app/frame/screenshot.h"
#include "app/termination_signals.h"
#include "engine/base/error.h"
#include "engine/base/free_memory.h"
#include "engine/base/input_file.h"
#include "engine/base/standard_streams.h"
#include "engine/run_folder/run_notes.h"
#include "widgets/language.h"

namespace {

using namespace lockstep;
namespace fs = std::filesystem;

/// Sets environment variables that QApplication's constructor reads.
void prepareEnvironment(const app::CommandLine& line) {
  const bool hasDisplay =
      !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
  if (!line.screenshot.isEmpty() && !hasDisplay && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  if (line.scale > 0) qputenv("QT_SCALE_FACTOR", QByteArray::number(line.scale));
}

void requireFile(const fs::path& file) {
  std::error_code unknown;
  const fs::file_status status = fs::status(file, unknown);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  throw UserError(file.string() + ": " + base::inputFileError(file, "a file of settings") +
                  ": move it away");
}

/// Throws UserError if a file of settings is a pipe, a device or a folder: reading it might never
/// end. The files are those that QSettings reads (QConfFileSettingsPrivate), by the names of
/// organization and application, and the notes on runs elsewhere.
void requireSettings() {
  const fs::path folder =
      QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation).toStdString();
  const std::string organization = QCoreApplication::organizationName().toStdString();
  requireFile(folder / organization /
              (QCoreApplication::applicationName().toStdString() + ".conf"));
  requireFile(folder / (organization + ".conf"));
  requireFile(run_folder::NotesByFolder::defaultFile());
}

int runWindow(int argc, char** argv, const app::CommandLine& line) {
  base::returnLargeBlocks();
  prepareEnvironment(line);
  if (!line.screenshot.isEmpty()) app::dropPlatformNotes();
  QApplication application(argc, argv);
  widgets::installLanguage();
  QApplication::setOrganizationName(QStringLiteral("Lockstep"));
  QApplication::setApplicationName(QStringLiteral("lockstep"));
  requireSettings();
  widgets::ThemeSwitch theme;
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/lockstep.svg")));
  const bool isScreenshot = !line.screenshot.isEmpty();
  app::MainWindow window(
      &theme, {line.paths, line.page, line.size, line.theme, line.themeGiven, !isScreenshot,
               isScreenshot ? QString() : app::DraftFolder::defaultFolder()});
  app::TerminationSignals terminationSignals([&window] { window.keepDrafts(); });
  app::Screenshot screenshot(&window, line.screenshot);
  window.show();
  screenshot.saveWhenReady();
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  base::reserveStandardStreams();
  try {
    QStringList arguments;
    for (int i = 1; i < argc; ++i) arguments.append(QString::fromLocal8Bit(argv[i]));
    const app::CommandLine line = app::parseCommandLine(arguments);
    if (line.help) std::fputs(qPrintable(app::helpText()), stdout);
    if (line.version) std::puts("lockstep " LOCKSTEP_VERSION);
    if (line.help || line.version) return 0;
    return runWindow(argc, argv, line);
  } catch (const Error& error) {
    std::fprintf(stderr, "lockstep: %s\n", error.what());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep: %s\n", error.what());
    return 1;
  }
}
