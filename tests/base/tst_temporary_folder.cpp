#include <QTemporaryDir>
#include <QTest>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "engine/base/temporary_folder.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

void becomeOld(const fs::path& folder) {
  fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(1));
}

}  // namespace

class TstTemporaryFolder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { qputenv("TMPDIR", temporary_.path().toUtf8()); }
  void cleanup() { qunsetenv("TMPDIR"); }

  void aFolderIsRemovedWithItsContent() {
    fs::path path;
    {
      const TemporaryFolder folder("a-");
      path = folder.path();
      std::ofstream(path / "file") << "content";
      QVERIFY(path.filename().string().starts_with("a-"));
      QVERIFY((fs::status(path).permissions() & fs::perms::others_all) == fs::perms::none);
    }
    QVERIFY(!fs::exists(path));
  }

  void whatAKilledProcessLeftIsRemoved() {
    const fs::path left = made("b-left");
    std::ofstream(left / "in-use.lock");
    std::ofstream(left / "file") << "content";
    becomeOld(left);
    const TemporaryFolder folder("b-");
    QVERIFY(!fs::exists(left));
  }

  void whatIsInUseOrIsAnothersStays() {
    const TemporaryFolder inUse("c-");
    const fs::path unlocked = made("c-of-a-user"), another = made("d-left"), isNew = made("c-new");
    for (const fs::path& folder : {another, isNew}) std::ofstream(folder / "in-use.lock");
    for (const fs::path& folder : {inUse.path(), unlocked, another}) becomeOld(folder);
    const TemporaryFolder folder("c-");
    for (const fs::path& each : {inUse.path(), unlocked, another, isNew}) QVERIFY(fs::exists(each));
  }

 private:
  fs::path made(const char* name) const {
    const fs::path folder = fs::path(temporary_.path().toStdString()) / name;
    fs::create_directory(folder);
    return folder;
  }

  QTemporaryDir temporary_;
};

LOCKSTEP_TEST(TstTemporaryFolder)
#include "tst_temporary_folder.moc"
