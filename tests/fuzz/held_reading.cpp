#include "tests/fuzz/held_reading.h"

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

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {
namespace {

constexpr int kMostCharacters = 400;
constexpr std::size_t kMostFaults = 5;
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
constexpr time_t kMostSeconds = 2;

std::array<char, 400> reading{};  // what the handler says

void tellCrash(int number) {
  [[maybe_unused]] const auto written =
      ::write(STDERR_FILENO, reading.data(), std::strlen(reading.data()));
  ::signal(number, SIG_DFL);
  ::raise(number);
}

/// Names the variant that ends the process, until the end of the scope.
class CrashNamer {
 public:
  CrashNamer() {
    // A stack of its own: that of the process may be what has run out.
    static std::array<char, 1 << 16> stack;
    const stack_t other{stack.data(), 0, stack.size()};
    ::sigaltstack(&other, nullptr);
    struct sigaction action {};
    action.sa_handler = tellCrash;
    action.sa_flags = SA_ONSTACK;
    for (const int number : kCrashes) ::sigaction(number, &action, nullptr);
  }
  ~CrashNamer() {
    allow(0);
    for (const int number : kCrashes) ::signal(number, SIG_DFL);
  }
  CrashNamer(const CrashNamer&) = delete;

  void begin(const std::string& name, const std::filesystem::path& file) {
    std::snprintf(reading.data(), reading.size(), "crashed, or %d s were not enough, on %s: %s\n",
                  static_cast<int>(kMostSeconds), name.c_str(), file.c_str());
    allow(kMostSeconds);
  }

 private:
  /// Processor time, which a busy machine does not take away. 0: as much as it likes.
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
  bool isRefused = false;
  std::string fault;
};

Ending endingOf(const HeldReading& held) {
  const LittleMemory limit(held.mostBytes);
  try {
    held.read();
    return {};
  } catch (const Error& error) {
    if (!held.isFileTold) return {true, faultOfLine(error.what(), kMostCharacters)};
    return {true, faultOfMessage(error.what(), held.told.empty() ? held.file : held.told)};
  } catch (const std::exception& error) {
    return {true, std::string("another exception: ") + std::string(error.what()).substr(0, 300)};
  }
}

/// Reads one input after another and collects what was wrong.
class Readings {
 public:
  explicit Readings(const HeldReading& held) : held_(held) {}

  void read(const std::string& name, const std::string& bytes) {
    write(held_.file, bytes);
    crashes_.begin(name, held_.file);
    const Ending ending = endingOf(held_);
    ++count_;
    refused_ += ending.isRefused;
    if (!ending.fault.empty() && ++told_ <= kMostFaults)
      faults_ += "\n" + name + ": " + ending.fault;
  }
  std::string faults(const char* inputs) const {
    qInfo("%s: %llu of %llu %s refused", held_.name.c_str(), refused_, count_, inputs);
    if (told_ <= kMostFaults) return faults_;
    return faults_ + "\nand " + std::to_string(told_ - kMostFaults) + " more";
  }

 private:
  const HeldReading& held_;
  CrashNamer crashes_;
  std::string faults_;
  unsigned long long refused_ = 0, count_ = 0;
  std::size_t told_ = 0;
};

}  // namespace

Variants chosenVariants(std::uint64_t usual) {
  return {variable("LOCKSTEP_FUZZ_SEED", 1), variable("LOCKSTEP_FUZZ_FIRST", 0),
          variable("LOCKSTEP_FUZZ_VARIANTS", usual),
          std::chrono::seconds(variable("LOCKSTEP_FUZZ_SECONDS", 0))};
}

void allowFuzzingTime() {
  constexpr std::chrono::milliseconds kDay = std::chrono::hours(24);
  qputenv("QTEST_FUNCTION_TIMEOUT", QByteArray::number(qlonglong{kDay.count()}));
}

std::string faultOfLine(const std::string& line, int mostCharacters) {
  const QString text = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
  const std::string shown = text.left(kMostCharacters).toStdString();
  if (text.toUtf8().toStdString() != line) return "no UTF-8: " + shown;
  for (const char32_t character : text.toStdU32String()) {
    const QChar::Category category = QChar::category(character);
    if (category == QChar::Other_Control || category == QChar::Separator_Line ||
        category == QChar::Separator_Paragraph) {
      return "not one line of plain text: " + shown;
    }
  }
  if (text.size() > mostCharacters) return std::to_string(text.size()) + " characters: " + shown;
  return {};
}

std::string faultOfMessage(const std::string& message, const std::filesystem::path& file) {
  if (message.find(file.string()) == std::string::npos)
    return "does not name the file: " + message.substr(0, kMostCharacters);
  return faultOfLine(message, kMostCharacters);
}

std::string faultsOf(const HeldReading& held, const Variants& variants) {
  Readings readings(held);
  const auto end = std::chrono::steady_clock::now() + variants.time;
  const auto goesOn = [&](std::uint64_t number) {
    return variants.time.count() > 0 ? std::chrono::steady_clock::now() < end
                                     : number < variants.first + variants.count;
  };
  for (std::uint64_t number = variants.first; goesOn(number); ++number) {
    Choices choices(variants.seed, number);
    readings.read(held.name + ", variant " + std::to_string(number) + " of seed " +
                      std::to_string(variants.seed),
                  held.damage(choices));
  }
  return readings.faults("variants");
}

std::string faultsOfInputs(const HeldReading& held,
                           const std::map<std::string, std::string>& inputs) {
  Readings readings(held);
  for (const auto& [name, bytes] : inputs) readings.read(held.name + ", " + name, bytes);
  return readings.faults("inputs");
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
