#include "engine/supervisor/process_usage.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace lockstep::supervisor {
namespace {

std::string lineOf(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

ProcessUsage parseUsage(const std::string& stat, const std::string& statm) {
  ProcessUsage usage;
  // Its name, in brackets, may hold blanks and brackets itself. utime and stime are fields 14 and
  // 15 of proc(5), eleven words after it.
  if (const auto name = stat.rfind(')'); name != std::string::npos) {
    std::istringstream words(stat.substr(name + 1));
    std::string word;
    double user = 0, system = 0;
    for (int i = 0; i < 11; ++i) words >> word;
    if (words >> user >> system)
      usage.cpuSeconds = (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  std::istringstream pages(statm);
  std::int64_t size = 0, resident = 0;
  if (pages >> size >> resident) usage.residentBytes = resident * ::sysconf(_SC_PAGESIZE);
  return usage;
}

ProcessUsage usageOf(const std::vector<pid_t>& processes) {
  ProcessUsage sum;
  for (const pid_t process : processes) {
    const std::string folder = "/proc/" + std::to_string(process) + "/";
    const ProcessUsage own = parseUsage(lineOf(folder + "stat"), lineOf(folder + "statm"));
    sum.cpuSeconds += own.cpuSeconds;
    sum.residentBytes += own.residentBytes;
  }
  return sum;
}

}  // namespace lockstep::supervisor
