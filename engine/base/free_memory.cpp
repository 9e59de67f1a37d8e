#include "engine/base/free_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lockstep::base {

void returnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace lockstep::base
