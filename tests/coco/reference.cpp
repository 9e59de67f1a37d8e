#include "tests/coco/reference.h"

#include <QProcess>
#include <QTemporaryDir>
#include <fstream>

#include "tests/support/test_data.h"

namespace lockstep::tests {

QString runReference(const char* script, const QStringList& arguments) {
  const QString file =
      QString::fromStdString((sourceFolder() / "tests/reference" / script).string());
  QProcess process;
  process.start(python(), QStringList{file} + arguments);
  if (!process.waitForFinished(300000)) return QStringLiteral("did not finish");
  if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0) return {};
  return QStringLiteral("failed: ") + QString::fromUtf8(process.readAllStandardError());
}

QString runCocoReference(const QStringList& arguments) {
  return runReference("coco_reference.py", arguments);
}

const nlohmann::json& analysisReference() {
  static const QTemporaryDir folder;  // the sets lie there as long as the program runs
  static const nlohmann::json reference = [] {
    if (python().isEmpty()) return nlohmann::json();
    const QString failure = runReference("coco_analysis_reference.py", {folder.path()});
    if (!failure.isEmpty()) qFatal("coco_analysis_reference.py: %s", qPrintable(failure));
    return readJson(folder.filePath(QStringLiteral("expected.json")).toStdString());
  }();
  return reference;
}

const nlohmann::json& maskReference() {
  static const nlohmann::json reference = [] {
    if (python().isEmpty()) return nlohmann::json();
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("masks.json"));
    const QString failure = runCocoReference({QStringLiteral("masks"), file});
    if (!failure.isEmpty()) qFatal("coco_reference.py: %s", qPrintable(failure));
    return readJson(file.toStdString());
  }();
  return reference;
}

nlohmann::json readJson(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

coco::Rle drawn(const std::vector<std::string>& rows) {
  const int height = static_cast<int>(rows.size());
  const int width = height == 0 ? 0 : static_cast<int>(rows[0].size());
  std::vector<std::uint8_t> pixels;
  for (const std::string& row : rows) {
    for (char mark : row) pixels.push_back(mark == '#');
  }
  return coco::encodeMask(pixels.data(), height, width, width);
}

}  // namespace lockstep::tests
