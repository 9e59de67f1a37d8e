#pragma once

namespace lockstep::protocol {

/// RunError::cause of an image that cannot be read while dataset.bad_images is `fail`: with `skip`
/// the run can go on without it.
inline constexpr const char* kBadImage = "bad image";

}  // namespace lockstep::protocol
