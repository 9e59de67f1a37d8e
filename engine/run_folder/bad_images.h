#pragma once

#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// bad_images.jsonl: a line {"file", "part", "step", "reason"} for each image that a run left out.
/// Lines that are none are left aside.
std::vector<protocol::BadImage> readBadImages(const Layout& layout);
/// Throws Error.
void appendBadImage(const Layout& layout, const protocol::BadImage& image);
/// Takes those of later steps out: a run that goes on meets them again. Throws Error.
void cutBadImagesAfter(const Layout& layout, std::int64_t step);

}  // namespace lockstep::run_folder
