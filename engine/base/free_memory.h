#pragma once

namespace lockstep::base {

/// Gives freed memory back to the system, which the allocator keeps otherwise: worth it after
/// something large was read. Does nothing where the C library has no such call. Thread-safe.
void returnFreeMemory();

}  // namespace lockstep::base
