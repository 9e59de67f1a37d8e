#include "tests/support/test_data.h"

#include <QFileInfo>
#include <QProcess>

namespace lockstep::tests {

std::filesystem::path realData(const std::string& relative) {
  const QByteArray folder = qgetenv("LOCKSTEP_TEST_DATA");
  if (folder.isEmpty()) return {};
  const std::filesystem::path path = std::filesystem::absolute(folder.toStdString()) / relative;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

std::filesystem::path sourceFolder() { return LOCKSTEP_SOURCE_DIR; }

QString program(const char* name) {
  return QStringLiteral(LOCKSTEP_PROGRAM_DIR "/") + QString::fromUtf8(name);
}

QString python() {
  static const QString found = [] {
    const QString path = QStringLiteral(LOCKSTEP_SOURCE_DIR "/.venv/bin/python");
    if (!QFileInfo::exists(path)) return QString();
    QProcess process;
    // Looked for, not imported: torchvision alone takes seconds to load.
    process.start(path, {QStringLiteral("-c"),
                         QStringLiteral("import sys\n"
                                        "from importlib.util import find_spec\n"
                                        "names = ['torchvision', 'pycocotools', 'safetensors']\n"
                                        "sys.exit(not all(map(find_spec, names)))")});
    return process.waitForFinished(120000) && process.exitCode() == 0 ? path : QString();
  }();
  return found;
}

}  // namespace lockstep::tests
