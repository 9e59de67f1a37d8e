#include "tests/fuzz/reading_check.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <QByteArray>
#include <QString>
#include <QtDebug>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {
namespace {

constexpr int kMaxCharacters = 400;
constexpr std::size_t kMaxFailures = 5;
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
constexpr time_t kMaxSeconds = 2;

std::array<char, 400> crashText{};  // printed by the signal handler

void reportCrash(int number) {
  [[maybe_unused]] const auto written =
      ::write(STDERR_FILENO, crashText.data(), std::strlen(crashText.data()));
  ::signal(number, SIG_DFL);
  ::raise(number);
}

/// Prints the variant that crashes the process, until the end of the scope.
class CrashReporter {
 public:
  CrashReporter() {
    // An alternate stack: the crash may be a stack overflow.
    static std::array<char, 1 << 16> stack;
    const stack_t other{stack.data(), 0, stack.size()};
    ::sigaltstack(&other, nullptr);
    struct sigaction action {};
    action.sa_handler = reportCrash;
    action.sa_flags = SA_ONSTACK;
    for (const int number : kCrashes) ::sigaction(number, &action, nullptr);
  }
  ~CrashReporter() {
    allow(0);
    for (const int number : kCrashes) ::signal(number, SIG_DFL);
  }
  CrashReporter(const CrashReporter&) = delete;

  void begin(const std::string& name, const std::filesystem::path& file) {
    std::snprintf(crashText.data(), crashText.size(),
                  "crashed, or %d s were not enough, on %s: %s\n", static_cast<int>(kMaxSeconds),
                  name.c_str(), file.c_str());
    allow(kMaxSeconds);
  }

 private:
  /// CPU time, which does not depend on the load of the machine. 0: no limit.
  static void allow(time_t seconds) {
    const itimerval limit{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_PROF, &limit, nullptr);
  }
};

std::uint64_t variable(const char* name, std::uint64_t usual) {
  bool isNumber = false;
  const auto value = qgetenv(name).toULongLong(&isNumber);
  return isNumber ? value : usual;
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

struct Ending {
  bool isError = false;
  std::string problem;
};

Ending endingOf(const ReadingCheck& check) {
  const LittleMemory limit(check.maxBytes);
  try {
    check.read();
    return {};
  } catch (const Error& error) {
    if (!check.namesFile) return {true, lineProblem(error.what(), kMaxCharacters)};
    return {true, messageProblem(error.what(), check.named.empty() ? check.file : check.named)};
  } catch (const std::exception& error) {
    return {true, std::string("another exception: ") + std::string(error.what()).substr(0, 300)};
  }
}

/// Reads inputs one after another and collects the failures.
class Readings {
 public:
  explicit Readings(const ReadingCheck& check) : check_(check) {}

  void read(const std::string& name, const std::string& bytes) {
    write(check_.file, bytes);
    crashes_.begin(name, check_.file);
    const Ending ending = endingOf(check_);
    ++count_;
    errors_ += ending.isError;
    if (!ending.problem.empty() && ++failureCount_ <= kMaxFailures)
      failures_ += "\n" + name + ": " + ending.problem;
  }
  std::string failures(const char* inputs) const {
    qInfo("%s: %llu of %llu %s gave an error", check_.name.c_str(), errors_, count_, inputs);
    if (failureCount_ <= kMaxFailures) return failures_;
    return failures_ + "\nand " + std::to_string(failureCount_ - kMaxFailures) + " more";
  }

 private:
  const ReadingCheck& check_;
  CrashReporter crashes_;
  std::string failures_;
  unsigned long long errors_ = 0, count_ = 0;
  std::size_t failureCount_ = 0;
};

}  // namespace

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

Variants chosenVariants(std::uint64_t usual) {
  return {variable("LOCKSTEP_FUZZ_SEED", 1), variable("LOCKSTEP_FUZZ_FIRST", 0),
          variable("LOCKSTEP_FUZZ_VARIANTS", usual),
          std::chrono::seconds(variable("LOCKSTEP_FUZZ_SECONDS", 0))};
}

void allowFuzzingTime() {
  constexpr std::chrono::milliseconds kDay = std::chrono::hours(24);
  qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(qlonglong{kDay.count()}));
}

std::string lineProblem(const std::string& line, int maxCharacters) {
  const QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
  const std::string shown = text.left(kMaxCharacters).toStdString();
  if (text.toUtf8().toStdString() != line) return "no UTF-8: " + shown;
  for (const char32_t character : text.toStdU32String()) {
    const QChar::Category category = QChar::category(character);
    if (category == QChar::Other_Control || category == QChar::Separator_Line ||
        category == QChar::Separator_Paragraph) {
      return "not one line of plain text: " + shown;
    }
  }
  if (text.size() > maxCharacters) return std::to_string(text.size()) + " characters: " + shown;
  return {};
}

std::string messageProblem(const std::string& message, const std::filesystem::path& file) {
  if (message.find(file.string()) == std::string::npos)
    return "does not name the file: " + message.substr(0, kMaxCharacters);
  return lineProblem(message, kMaxCharacters);
}

std::string failuresOf(const ReadingCheck& check, const Variants& variants) {
  Readings readings(check);
  const auto end = std::chrono::steady_clock::now() + variants.time;
  const auto continues = [&](std::uint64_t number) {
    return variants.time.count() > 0 ? std::chrono::steady_clock::now() < end
                                     : number < variants.first + variants.count;
  };
  for (std::uint64_t number = variants.first; continues(number); ++number) {
    Choices choices(variants.seed, number);
    readings.read(check.name + ", variant " + std::to_string(number) + " of seed " +
                      std::to_string(variants.seed),
                  check.damage(choices));
  }
  return readings.failures("variants");
}

std::string failuresOfInputs(const ReadingCheck& check,
                             const std::map<std::string, std::string>& inputs) {
  Readings readings(check);
  for (const auto& [name, bytes] : inputs) readings.read(check.name + ", " + name, bytes);
  return readings.failures("inputs");
}

std::map<std::string, std::string> fuzzCorpus(const std::string& folder) {
  const std::filesystem::path path = sourceFolder() / "tests/fixtures/fuzz" / folder;
  std::map<std::string, std::string> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    inputs[entry.path().filename().string()] = base::readFile(entry.path());
  if (inputs.empty()) throw Error(path.string() + ": holds no inputs");
  return inputs;
}

}  // namespace lockstep::tests
