#pragma once

/// Function attribute: the compiler emits clones for several vector widths, and the one for this
/// CPU is selected at program start. The programs themselves are built for baseline x86-64.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LOCKSTEP_VECTOR_CLONES
#endif
