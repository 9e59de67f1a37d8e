#pragma once

namespace lockstep::base {

/// Gives freed memory back to the system, which the allocator keeps otherwise: worth it after
/// something large was read. Does nothing where the C library has no such call. Thread-safe.
void returnFreeMemory();

/// From now on a block of 1 MiB or more, such as a picture, goes back to the system as soon as it
/// is freed. The allocator otherwise keeps such blocks once it has seen a few, and puts small ones
/// into them that last. For programs that are long open; does nothing where the C library has no
/// such setting.
void returnLargeBlocks();

}  // namespace lockstep::base
