#include "engine/base/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace lockstep::base {

struct MappedPages {
  std::atomic<bool> isTaken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> isLost{false};  ///< any of them
  std::atomic<std::size_t> usedBytes{0};

  void* address() const { return reinterpret_cast<void*>(begin.load()); }
  std::size_t bytes() const { return end - begin; }
};

namespace {

constexpr std::size_t kMaxResidentBytes = 2 << 20;
constexpr std::size_t kMaxMappings = 16;

/// In static storage, where the signal handler can read them.
std::array<MappedPages, kMaxMappings> mappings;
std::uintptr_t pageBytes;
struct sigaction previousAction;

/// Puts a page of zeros where a page of a mapped file could not be read. Other addresses are left
/// to the action that was there before.
void replaceLostPage(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (MappedPages& pages : mappings) {
    if (address < pages.begin || address >= pages.end) continue;
    void* const page = reinterpret_cast<void*>(address - address % pageBytes);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (::mmap(page, pageBytes, PROT_READ, flags, -1, 0) == MAP_FAILED) break;
    pages.isLost = true;
    return;
  }
  ::sigaction(SIGBUS, &previousAction, nullptr);  // the access fails again, with that action
}

void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = replaceLostPage;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &previousAction);
  });
}

MappedPages* takeFree() {
  for (MappedPages& pages : mappings) {
    if (!pages.isTaken.exchange(true)) return &pages;
  }
  return nullptr;
}

}  // namespace

std::optional<MappedFile> MappedFile::map(int descriptor, std::size_t bytes) {
  if (bytes == 0) return std::nullopt;
  installHandler();
  MappedPages* const pages = takeFree();
  if (pages == nullptr) return std::nullopt;
  void* const begin = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (begin == MAP_FAILED) {
    pages->isTaken = false;
    return std::nullopt;
  }
  pages->isLost = false;
  pages->usedBytes = 0;
  pages->begin = reinterpret_cast<std::uintptr_t>(begin);
  pages->end = pages->begin + bytes;
  return MappedFile(pages);
}

void MappedFile::Unmap::operator()(MappedPages* pages) const {
  void* const begin = pages->address();
  const std::size_t bytes = pages->bytes();
  pages->end = 0;
  pages->begin = 0;
  ::munmap(begin, bytes);
  pages->isTaken = false;
}

std::string_view MappedFile::view() const {
  return {static_cast<const char*>(pages_->address()), pages_->bytes()};
}

bool MappedFile::hasLostPages() const { return pages_->isLost; }

void MappedFile::used(std::size_t bytes) const {
  const std::size_t before = pages_->usedBytes.fetch_add(bytes);
  if (before / kMaxResidentBytes == (before + bytes) / kMaxResidentBytes) return;
  ::madvise(pages_->address(), pages_->bytes(), MADV_DONTNEED);
}

}  // namespace lockstep::base
