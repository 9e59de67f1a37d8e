#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/file_text.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::FileText;
using tests::messageOf;

namespace {

/// Not repeating, so that a wrong page is seen.
std::string madeText(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint32_t state = 1;
  for (char& character : text) {
    state = state * 1664525U + 1013904223U;
    character = static_cast<char>('0' + (state >> 24) % 64);
  }
  return text;
}

/// Of the mapping that begins with the view.
std::size_t residentBytes(std::string_view view) {
  std::ifstream maps("/proc/self/smaps");
  char start[32];
  std::snprintf(start, sizeof start, "%lx-", reinterpret_cast<unsigned long>(view.data()));
  bool isOurs = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with(start)) isOurs = true;
    if (isOurs && line.starts_with("Rss:")) return std::stoul(line.substr(4)) * 1024;
  }
  return 0;
}

}  // namespace

class TstFileText : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void aMappedFileHasTheBytesOfAReadOne() {
    for (const std::size_t bytes : {0U, 1U, 4096U, (1U << 20) - 1, 1U << 20, (3U << 20) + 17}) {
      const std::string content = madeText(bytes);
      base::writeFileAtomically(path("a"), content);
      QVERIFY(FileText::read(path("a")).view() == content);
      const FileText mapped = FileText::map(path("a"));
      QVERIFY(mapped.view() == content);
      QVERIFY(!mapped.hasChanged());
    }
  }

  void whatCannotBeReadCannotBeMapped() {
    for (const std::filesystem::path& file : {path("none"), path("")}) {
      const std::string message = messageOf([&] { FileText::read(file); });
      QVERIFY(!message.empty());
      QCOMPARE(messageOf([&] { FileText::map(file); }), message);
    }
  }

  void aLargeFileNeedsLittleMemoryAtATime() {
    const std::string content = madeText(40 << 20);
    base::writeFileAtomically(path("large"), content);
    const FileText text = FileText::map(path("large"));
    std::size_t most = 0;
    constexpr std::size_t kPart = 300'000;
    for (std::size_t at = 0; at < content.size(); at += kPart) {
      QVERIFY(text.view().substr(at, kPart) == std::string_view(content).substr(at, kPart));
      text.used(kPart);
      most = std::max(most, residentBytes(text.view()));
      QVERIFY(most > 0);
    }
    QVERIFY2(most < 3 << 20, std::to_string(most).c_str());
    QVERIFY2(text.view() == content, "what was forgotten is read again");
  }

  void bytesOfAFileThatShrinksAreZeros() {
    const std::string content = madeText(4 << 20);
    base::writeFileAtomically(path("shrinking"), content);
    const FileText text = FileText::map(path("shrinking"));
    QCOMPARE(text.view().back(), content.back());
    std::filesystem::resize_file(path("shrinking"), 1 << 20);
    QVERIFY(!text.hasChanged());
    QVERIFY(text.view().substr(0, 1 << 20) == std::string_view(content).substr(0, 1 << 20));
    QVERIFY(text.view().substr(1 << 20) == std::string(3 << 20, '\0'));
    QVERIFY(text.hasChanged());
  }

  void manyFilesAreMappedAtOnce() {
    const std::string content = madeText(1 << 20);
    base::writeFileAtomically(path("many"), content);
    std::vector<FileText> texts;
    for (int i = 0; i < 40; ++i) texts.push_back(FileText::map(path("many")));
    for (const FileText& text : texts) QVERIFY(text.view() == content);
    texts.clear();
    QVERIFY(FileText::map(path("many")).view() == content);
  }

  /// A fault elsewhere still ends the process.
  void otherBusErrorsAreNotHidden() {
    base::writeFileAtomically(path("mapped"), madeText(1 << 20));
    const FileText text = FileText::map(path("mapped"));  // the handler is there
    base::writeFileAtomically(path("other"), madeText(8192));
    const pid_t child = ::fork();
    if (child == 0) {
      const int file = ::open(path("other").c_str(), O_RDONLY);
      auto* bytes =
          static_cast<volatile char*>(::mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, file, 0));
      std::filesystem::resize_file(path("other"), 0);
      const char byte = bytes[5000];
      ::_exit(byte == 0 ? 1 : 2);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGBUS);
  }
};

LOCKSTEP_TEST(TstFileText)
#include "tst_file_text.moc"
