#include "tests/support/fake_nvml/fake_nvml_file.h"

#include <QDir>
#include <filesystem>
#include <fstream>

namespace lockstep::tests {

FakeNvml::FakeNvml() { qputenv("LOCKSTEP_FAKE_NVML", QByteArray::fromStdString(file())); }
FakeNvml::~FakeNvml() { qunsetenv("LOCKSTEP_FAKE_NVML"); }

std::string FakeNvml::file() const {
  return folder_.filePath(QStringLiteral("says")).toStdString();
}

void FakeNvml::setAnswers(const std::string& lines) const {
  // Atomically: it is read at any moment.
  std::ofstream(file() + ".new") << lines;
  std::filesystem::rename(file() + ".new", file());
}

bool FakeNvml::isWaitedFor() const { return std::filesystem::exists(file() + ".hangs"); }

std::string FakeNvml::library() { return LOCKSTEP_FAKE_NVML_LIBRARY; }
std::string FakeNvml::oldLibrary() { return LOCKSTEP_FAKE_OLD_NVML_LIBRARY; }
std::string FakeNvml::folder() { return std::filesystem::path(library()).parent_path().string(); }

}  // namespace lockstep::tests
