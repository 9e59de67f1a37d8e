#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstddef>
#include <fstream>

namespace lockstep::tests {

/// Limits a resource of this process until the end of the scope.
class ResourceLimit {
 public:
  ResourceLimit(const ResourceLimit&) = delete;
  ~ResourceLimit() { ::setrlimit(resource_, &before_); }

 protected:
  ResourceLimit(__rlimit_resource resource, rlim_t limit) : resource_(resource) {
    ::getrlimit(resource_, &before_);
    const rlimit small{limit, before_.rlim_max};
    ::setrlimit(resource_, &small);
  }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

/// No file can grow beyond `bytes`, as on a full disk.
class FullDisk : public ResourceLimit {
 public:
  explicit FullDisk(std::size_t bytes) : ResourceLimit(RLIMIT_FSIZE, bytes) {
    ::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  }
};

/// No more files, pipes or sockets can be opened.
class NoMoreFiles : public ResourceLimit {
 public:
  NoMoreFiles() : ResourceLimit(RLIMIT_NOFILE, 0) {}
};

/// Only `bytes` more than now can be allocated.
class LittleMemory : public ResourceLimit {
 public:
  explicit LittleMemory(std::size_t bytes) : ResourceLimit(RLIMIT_AS, inUse() + bytes) {}

 private:
  static std::size_t inUse() {
    constexpr std::size_t kPageBytes = 4096;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * kPageBytes;
  }
};

}  // namespace lockstep::tests
