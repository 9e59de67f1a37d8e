#include "engine/formats/image_index.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "engine/base/error.h"

namespace lockstep::formats {
namespace {

const std::vector<std::string> kImageExtensions{".jpg", ".jpeg", ".png", ".bmp",
                                                ".tif", ".tiff", ".webp"};

bool isHidden(const fs::path& path) { return path.filename().string().starts_with("."); }

std::string extensionOf(const fs::path& file) { return lowerCase(file.extension().string()); }

/// With slashes only: names in files of other systems have backslashes.
std::string withSlashes(std::string name) {
  std::ranges::replace(name, '\\', '/');
  return name;
}

bool endsWithPath(const fs::path& file, const std::string& name) {
  const std::string path = file.generic_string();
  return path.ends_with("/" + name) || path == name;
}

}  // namespace

std::string lowerCase(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool isImageFile(const fs::path& file) {
  return !isHidden(file) && std::ranges::count(kImageExtensions, extensionOf(file)) > 0;
}

std::vector<fs::path> filesBelow(const fs::path& folder,
                                 const std::vector<std::string>& extensions) {
  std::vector<fs::path> files;
  if (fs::is_regular_file(folder)) return {folder};
  std::error_code failure;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator entry(folder, options, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    std::error_code ignored;
    if (isHidden(entry->path())) {
      if (entry->is_directory(ignored)) entry.disable_recursion_pending();
    } else if (std::ranges::count(extensions, extensionOf(entry->path())) > 0 &&
               entry->is_regular_file(ignored)) {
      files.push_back(entry->path());
    }
  }
  if (failure) throw Error(folder.string() + ": cannot be listed: " + failure.message());
  std::ranges::sort(files);
  return files;
}

std::optional<Part> partOf(const fs::path& relative) {
  static const std::regex kPart("(.*[_-])?(train(ing)?|val(id(ation)?)?|test(ing)?)([0-9_.-].*)?");
  for (const fs::path& component : relative) {
    std::smatch match;
    const std::string name = lowerCase(component.string());
    if (!std::regex_match(name, match, kPart)) continue;
    const std::string part = match[2].str();
    if (part.starts_with("train")) return Part::Train;
    return part.starts_with("val") ? Part::Val : Part::Test;
  }
  return std::nullopt;
}

ImageIndex::ImageIndex(const fs::path& folder, const std::string& skipped) {
  for (fs::path& file : filesBelow(folder, kImageExtensions)) {
    const fs::path relative = file.lexically_relative(folder).parent_path();
    if (!skipped.empty() && std::ranges::count(relative, fs::path(skipped)) > 0) continue;
    byName_.emplace(file.filename().string(), file);
    byStem_.emplace(file.stem().string(), file);
    all_.push_back(std::move(file));
  }
}

std::vector<fs::path> ImageIndex::find(const std::string& name) const {
  const std::string slashed = withSlashes(name);
  std::vector<fs::path> found;
  const auto [begin, end] = byName_.equal_range(fs::path(slashed).filename().string());
  for (auto at = begin; at != end; ++at) found.push_back(at->second);
  if (found.empty()) return withStem(fs::path(slashed).stem().string());
  // Of several with this name, those whose folders are named too.
  std::vector<fs::path> exact;
  std::ranges::copy_if(found, std::back_inserter(exact),
                       [&](const fs::path& file) { return endsWithPath(file, slashed); });
  return exact.empty() ? found : exact;
}

std::vector<fs::path> ImageIndex::withStem(const std::string& stem) const {
  std::vector<fs::path> found;
  const auto [begin, end] = byStem_.equal_range(stem);
  for (auto at = begin; at != end; ++at) found.push_back(at->second);
  return found;
}

std::string ImageIndex::problemWith(const std::string& name) const {
  const std::vector<fs::path> found = find(name);
  if (found.empty()) return "its image " + name + " is missing";
  if (found.size() == 1) return {};
  return "its image " + name + " is there " + std::to_string(found.size()) +
         " times: " + found[0].string() + ", " + found[1].string();
}

fs::path ImageIndex::only(const std::string& name) const {
  const std::string problem = problemWith(name);
  if (!problem.empty()) throw Error(problem);
  return find(name)[0];
}

}  // namespace lockstep::formats
