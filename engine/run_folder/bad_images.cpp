#include "engine/run_folder/bad_images.h"

#include <fcntl.h>

#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/input_file.h"
#include "engine/protocol/members.h"

namespace lockstep::run_folder {
namespace {

/// Members of a line: file names instead of image ids, which are hard to look up.
void describeLine(auto& members, auto& image) {
  members("file", image.file);
  members("part", image.split);
  members("step", image.step);
  members("reason", image.reason);
}

std::string lineOf(const protocol::BadImage& image) {
  std::string line;
  base::JsonWriter json(line);
  protocol::MemberWriter members(json);
  json.beginObject();
  describeLine(members, image);
  json.endObject();
  return line + "\n";
}

}  // namespace

std::vector<protocol::BadImage> readBadImages(const Layout& layout) {
  std::vector<protocol::BadImage> images;
  if (!base::pathExists(layout.badImages())) return images;
  std::istringstream lines(base::readFile(layout.badImages()));
  for (std::string line; std::getline(lines, line);) {
    try {
      protocol::BadImage image;
      const auto members = protocol::MemberReader::parse(line, "line");
      describeLine(members, image);
      images.push_back(std::move(image));
    } catch (const Error&) {  // truncated by a crash
    }
  }
  return images;
}

void appendBadImage(const Layout& layout, const protocol::BadImage& image) {
  const base::FileDescriptor file =
      base::openRegularFile(layout.badImages(), O_WRONLY | O_CREAT | O_APPEND);
  base::writeToDescriptor(file.get(), lineOf(image), layout.badImages());
}

void removeBadImagesAfter(const Layout& layout, std::int64_t step) {
  if (!base::pathExists(layout.badImages())) return;
  std::string text;
  for (const protocol::BadImage& image : readBadImages(layout))
    if (image.step <= step) text += lineOf(image);
  if (text != base::readFile(layout.badImages()))
    base::writeFileAtomically(layout.badImages(), text);
}

}  // namespace lockstep::run_folder
