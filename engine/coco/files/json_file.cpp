#include "engine/coco/files/json_file.h"

#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/text_encoding.h"
#include "engine/coco/files/json_error.h"

namespace lockstep::coco {
namespace {

constexpr const char* kRemedy = "; correct it there, or export the file again";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

JsonFile JsonFile::load(const std::filesystem::path& file, const char* what) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw UserError(file.string() + ": no such " + what);
  }
  if (std::filesystem::is_directory(file, ignored)) {
    throw UserError(file.string() + ": is a folder; name the " + what + " in it");
  }
  base::FileText text = base::FileText::map(file);
  if (!base::wideEncodingOf(text.view()).empty()) text = base::FileText(base::readUnicode(file));
  return JsonFile(std::move(text), file.string());
}

JsonFile::JsonFile(base::FileText content, std::string name)
    : text_(std::move(content)), name_(std::move(name)) {}

std::string_view JsonFile::content() const {
  return text().substr(text().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

void JsonFile::throwIfChanged() const {
  if (text_.hasChanged()) throw Error(name_ + ": changed while it was read; try again");
}

void JsonFile::throwBroken(simdjson::error_code code) const {
  throwIfChanged();
  if (content().find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(name_ + ": the file is empty; it must hold COCO JSON: export it again");
  }
  if (code == simdjson::DEPTH_ERROR) {
    throw Error(name_ + ": JSON is nested deeper than " + std::to_string(kMaxJsonDepth) +
                " levels; this is not a COCO file");
  }
  if (code == simdjson::MEMALLOC)
    throw base::SystemError(name_ + ": not enough memory to read it", ENOMEM);
  const auto error = findJsonError(text());
  if (!error) throw Error(name_ + ": invalid JSON: " + simdjson::error_message(code) + kRemedy);
  throw InvalidJson(name_ + ":" + std::to_string(error->line) + ":" +
                        std::to_string(error->column) + ": invalid JSON at byte " +
                        std::to_string(error->byte) + ": " + error->reason + kRemedy,
                    error->byte);
}

}  // namespace lockstep::coco
