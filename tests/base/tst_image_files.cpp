#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <optional>

#include "engine/base/image_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstImageFiles : public QObject {
  Q_OBJECT

 private:
  std::optional<QTemporaryDir> folder_;
  fs::path root() const { return fs::canonical(folder_->path().toStdString()); }
  void write(const std::string& name) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << "x";
  }
  std::vector<std::string> names(const base::ImageFiles& found) const {
    std::vector<std::string> names;
    for (const fs::path& file : found.files) names.push_back(file.lexically_relative(root()));
    return names;
  }

 private Q_SLOTS:
  void init() { folder_.emplace(); }

  void imagesAreSortedByPath() {
    for (const char* name : {"b.JPG", "a/z.png", "a/b/c.tiff", "a.png", "z/one.webp", "notes.txt",
                             ".hidden.png", ".cache/a.png", "a/._z.png", "drawn/a-1.png"}) {
      write(name);
    }
    const std::vector<std::string> expected{"a/b/c.tiff", "a/z.png", "a.png", "b.JPG",
                                            "z/one.webp"};
    const auto excluded = base::FileIdentity::of(root() / "drawn");
    QCOMPARE(names(base::imagesBelow(root(), excluded)), expected);
    QCOMPARE(names(base::imagesBelow(root() / "drawn", excluded)),
             std::vector<std::string>{"drawn/a-1.png"});  // asked for itself
  }

  void skippedFilesAreListed() {
    for (const char* name : {"a.png", "b.gif", "c/d.AVIF", ".hidden.txt"}) write(name);
    const std::vector<fs::path> expected{root() / "b.gif", root() / "c/d.AVIF"};
    QVERIFY(base::imagesBelow(root()).skipped == expected);
  }

  void aNameThatIsNotUtf8IsAnError() {
    for (const char* name : {"a.png", "t\xfcr.png", "t\xfcr.txt", "d\xfc/b.png"}) write(name);
    const base::ImageFiles found = base::imagesBelow(root());
    QCOMPARE(names(found), std::vector<std::string>{"a.png"});
    const std::string message = ": the name is not UTF-8: rename the file";
    QCOMPARE(found.errors, (std::vector<std::string>{(root() / "d\xfc/b.png").string() + message,
                                                     (root() / "t\xfcr.png").string() + message}));
  }

  void symlinkLoopsEnd() {
    write("in/a.png");
    fs::create_directory_symlink(root() / "in", root() / "in/again");
    fs::create_directory_symlink(root(), root() / "in/up");
    fs::create_directory_symlink(root() / "in", root() / "twin");
    fs::create_symlink(root() / "circle.png", root() / "circle.png");
    const auto found = base::imagesBelow(root() / "in");
    const auto count = std::ranges::count_if(
        found.files, [](const fs::path& file) { return file.filename() == "a.png"; });
    QVERIFY(count == 1 && found.errors.empty());
    std::vector<std::string> own = names(base::imagesBelow(root() / "twin"));
    QVERIFY(std::ranges::count(own, "twin/a.png") == 1);
  }
};

LOCKSTEP_TEST(TstImageFiles)
#include "tst_image_files.moc"
