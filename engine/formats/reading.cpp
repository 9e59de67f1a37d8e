#include "engine/formats/reading.h"

#include <set>

#include "engine/base/error.h"
#include "engine/config/load.h"

namespace lockstep::formats {

std::string Reading::shown(const fs::path& file) const {
  const fs::path relative = file.lexically_relative(folder());
  return relative.empty() || *relative.begin() == ".." ? file.string() : relative.generic_string();
}

void Reading::forEachFile(const std::vector<fs::path>& files, Source& source,
                          const std::function<void(const fs::path&)>& read) const {
  std::size_t done = 0;
  for (const fs::path& file : files) {
    guarded(source, shown(file), [&] { read(file); });
    if (progress) progress("reading", ++done, files.size());
  }
}

std::map<Part, fs::path> imageFoldersIn(const fs::path& folder) {
  std::map<Part, fs::path> folders;
  if (!fs::is_regular_file(folder / "experiment.yaml")) return folders;
  const config::Experiment experiment =
      config::loadExperiment(folder / "experiment.yaml").experiment;
  for (const auto& [part, images] : {std::pair(Part::Train, experiment.dataset.train.images),
                                     {Part::Val, experiment.dataset.val.images}})
    if (!images.empty()) folders[part] = images;
  return folders;
}

namespace {

/// A message that begins with the path of the file in `where` has its line there: `/…/a.json:3: …`.
Fault faultOf(const std::string& where, const std::string& message) {
  const std::size_t at = message.find(where + ":");
  if (at == std::string::npos || message.find(": ") < at) return {where, message};
  const std::string rest = message.substr(at + where.size());
  const std::size_t colon = rest.find(": ");
  if (colon == std::string::npos) return {where, message};
  return {where + rest.substr(0, colon), rest.substr(colon + 2)};
}

}  // namespace

void guarded(Source& source, const std::string& where, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    if (error.status() == ExitStatus::Killed) throw;  // stopped
    source.faults.push_back(faultOf(where, error.what()));
  }
}

void addImagesWithoutObjects(const Reading& reading, const std::vector<fs::path>& images,
                             const std::string& why, Source& source) {
  std::set<fs::path> known;
  for (const SourceImage& image : source.images) known.insert(image.file);
  for (const fs::path& file : images) {
    if (known.contains(file)) continue;
    guarded(source, reading.shown(file), [&] {
      SourceImage image;
      image.file = file;
      image.size = reading.images.sizeOf(file);
      image.part = partOf(file.lexically_relative(reading.folder()));
      source.images.push_back(std::move(image));
      if (!why.empty()) source.addFault(reading.shown(file), why + "; kept without objects");
    });
  }
}

}  // namespace lockstep::formats
