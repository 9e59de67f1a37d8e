#include "tests/fuzz/held_reading.h"

#include <signal.h>
#include <unistd.h>

#include <QByteArray>
#include <QString>
#include <QtDebug>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "engine/base/error.h"
#include "tests/support/resource_limits.h"

namespace lockstep::tests {
namespace {

constexpr int kMostCharacters = 400;
constexpr std::size_t kMostFaults = 5;
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

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
    for (const int number : kCrashes) ::signal(number, SIG_DFL);
  }
  CrashNamer(const CrashNamer&) = delete;

  void begin(const std::string& name, const std::filesystem::path& file) {
    std::snprintf(reading.data(), reading.size(), "crashed on %s: %s\n", name.c_str(),
                  file.c_str());
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
    return {true, faultOfMessage(error.what(), held.told.empty() ? held.file : held.told)};
  } catch (const std::exception& error) {
    return {true, std::string("another exception: ") + std::string(error.what()).substr(0, 300)};
  }
}

}  // namespace

Variants chosenVariants(std::uint64_t usual) {
  return {variable("LOCKSTEP_FUZZ_SEED", 1), variable("LOCKSTEP_FUZZ_FIRST", 0),
          variable("LOCKSTEP_FUZZ_VARIANTS", usual)};
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
  CrashNamer crashes;
  std::string faults;
  std::uint64_t refused = 0;
  std::size_t told = 0;
  for (std::uint64_t number = variants.first; number < variants.first + variants.count; ++number) {
    const std::string name = held.name + ", variant " + std::to_string(number) + " of seed " +
                             std::to_string(variants.seed);
    Choices choices(variants.seed, number);
    write(held.file, held.damage(choices));
    crashes.begin(name, held.file);
    const Ending ending = endingOf(held);
    refused += ending.isRefused;
    if (!ending.fault.empty() && ++told <= kMostFaults) faults += "\n" + name + ": " + ending.fault;
  }
  qInfo("%s: %llu of %llu variants refused", held.name.c_str(),
        static_cast<unsigned long long>(refused), static_cast<unsigned long long>(variants.count));
  if (told > kMostFaults) faults += "\nand " + std::to_string(told - kMostFaults) + " more";
  return faults;
}

}  // namespace lockstep::tests
