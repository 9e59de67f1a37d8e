// lockstep-worker: one rank. Started by lockstep-engine with an inherited socket descriptor, not by
// users.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

#include "engine/base/error.h"
#include "engine/worker/serve.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  int fd = -1;
  if (argc >= 3 &&
      std::strcmp(argv[1], "--fd") == 0)  // further arguments only label the process in `ps`
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), fd);
  if (fd < 0) {
    std::fprintf(
        stderr,
        "lockstep-worker is started by lockstep-engine: run `lockstep-engine train` instead\n");
    return static_cast<int>(ExitStatus::UserError);
  }
  try {
    return worker::serve(fd, worker::runWork);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-worker: %s\n", error.what());
    return static_cast<int>(ExitStatus::Failed);
  }
}
