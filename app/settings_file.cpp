#include "app/settings_file.h"

#include <QCoreApplication>
#include <QStandardPaths>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/run_folder/run_notes.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

void requireFile(const fs::path& file) {
  std::error_code unknown;
  const fs::file_status status = fs::status(file, unknown);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  throw UserError(file.string() + ": " + base::inputFileError(file, "a file of settings") +
                  ": move it away");
}

}  // namespace

/// Those that QSettings reads (QConfFileSettingsPrivate), and the notes on runs elsewhere.
void requireSettings() {
  const fs::path folder =
      QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation).toStdString();
  const std::string organization = QCoreApplication::organizationName().toStdString();
  requireFile(folder / organization /
              (QCoreApplication::applicationName().toStdString() + ".conf"));
  requireFile(folder / (organization + ".conf"));
  requireFile(run_folder::NotesByFolder::defaultFile());
}

}  // namespace lockstep::app
