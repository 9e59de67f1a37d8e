#include "engine/base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/shortened_text.h"

namespace lockstep::base {

void reserveStandardStreams() {
  // open() returns the lowest free number.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
}

void printText(std::string_view text) {
  const std::string shown = escaped(text);
  std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void printMessage(std::string_view line) { std::fprintf(stderr, "%s\n", escaped(line).c_str()); }

void printResult(std::string_view text) {
  try {
    writeToDescriptor(STDOUT_FILENO, text, "standard output");
  } catch (const Error& error) {
    logWarning("engine", error.what());
  }
}

}  // namespace lockstep::base
