#include "engine/base/free_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lockstep::base {
namespace {

[[maybe_unused]] constexpr int kLargeBytes = 1 << 20;

}  // namespace

void returnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void returnLargeBlocks() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
#endif
}

}  // namespace lockstep::base
