#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/base/new_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstNewFolder : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir parent_;
  fs::path path(const char* name) const { return fs::path(parent_.path().toStdString()) / name; }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(parent_.path().toStdString()), {});
  }

 private Q_SLOTS:
  void init() {
    for (const auto& entry : fs::directory_iterator(parent_.path().toStdString()))
      fs::remove_all(entry.path());
  }

  void itAppearsWhole() {
    const base::NewFolder folder(path("a/"));
    std::ofstream(folder.path() / "file") << "1";
    QVERIFY(!fs::exists(path("a")));
    folder.finish();
    QVERIFY(fs::exists(path("a/file")));
    QCOMPARE(entries(), std::ptrdiff_t{1});
  }

  void unfinishedItLeavesNothing() {
    {
      const base::NewFolder folder(path("a"));
      std::ofstream(folder.path() / "file") << "1";
    }
    QCOMPARE(entries(), std::ptrdiff_t{0});
  }

  void anEmptyFolderIsReplacedAndAnotherRefused() {
    fs::create_directory(path("empty"));
    const base::NewFolder folder(path("empty"));
    folder.finish();
    QVERIFY(fs::is_directory(path("empty")));
    std::ofstream(path("empty/file")) << "1";
    std::ofstream(path("taken")) << "1";
    for (const char* name : {"empty", "taken"}) {
      const std::string message = tests::messageOf([&] { base::NewFolder again(path(name)); });
      QVERIFY2(message.find("already exists") != std::string::npos, message.c_str());
    }
    QCOMPARE(entries(), std::ptrdiff_t{2});
  }
};

LOCKSTEP_TEST(TstNewFolder)
#include "tst_new_folder.moc"
