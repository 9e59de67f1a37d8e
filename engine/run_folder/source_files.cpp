#include "engine/run_folder/source_files.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/config/edit.h"
#include "engine/config/fields.h"
#include "engine/config/moved_paths.h"
#include "engine/config/value_text.h"
#include "engine/protocol/members.h"

namespace lockstep::run_folder {
namespace {

constexpr const char* kManifest = "source.json";

/// source.json.
struct Manifest {
  std::string folder;
  std::vector<std::string> files, overrides;
  std::int64_t configCrc32c = 0;
};

void describeManifest(auto& members, auto& manifest) {
  members("folder", manifest.folder);
  members("files", manifest.files);
  members("overrides", manifest.overrides);
  members("config_crc32c", manifest.configCrc32c);
}

std::int64_t checksumOfConfig(const Layout& layout) {
  return base::crc32c(base::readFile(layout.config()));
}

fs::path absoluteOf(const fs::path& file) { return fs::absolute(file).lexically_normal(); }

/// The nearest folder that contains all of the absolute paths.
fs::path commonFolder(const std::vector<fs::path>& files) {
  fs::path common = files.front().parent_path();
  for (const fs::path& file : files) {
    while (*file.lexically_relative(common).begin() == "..") common = common.parent_path();
  }
  return common;
}

std::string overriddenKey(const std::string& override) {
  return override.substr(0, override.find('='));
}

std::string withOverrides(std::string text, const std::vector<std::string>& overrides) {
  for (const std::string& override : overrides) {
    const std::string key = overriddenKey(override);
    text = config::setValue(text, key, override.substr(key.size() + 1));
  }
  return text;
}

/// Whether a text saved in folder `to` would have these bases, as they were.
bool hasBasesOf(const SourceFiles& source, const std::string& text, const fs::path& to) {
  const std::vector<std::string> texts = config::loadExperimentText(text, to / "copy.yaml").texts;
  return texts.size() == source.texts.size() &&
         std::equal(texts.begin() + 1, texts.end(), source.texts.begin() + 1);
}

SourceFiles readFiles(const fs::path& folder, const Manifest& manifest) {
  SourceFiles source{manifest.folder, {}, {}, manifest.overrides};
  for (const std::string& name : manifest.files) {
    source.files.emplace_back(name);
    source.texts.push_back(config::readExperimentFile(folder / name));
  }
  return source;
}

Manifest readManifest(const fs::path& file) {
  Manifest manifest;
  const auto members = protocol::MemberReader::parse(base::readFile(file), file.string());
  describeManifest(members, manifest);
  if (manifest.files.empty()) throw Error(file.string() + ": names no file");
  return manifest;
}

void writeManifest(const fs::path& file, const Manifest& manifest) {
  std::string compact;
  base::JsonWriter json(compact);
  protocol::MemberWriter members(json);
  json.beginObject();
  describeManifest(members, manifest);
  json.endObject();
  base::writeFileAtomically(file, protocol::indented(compact) + "\n");
}

}  // namespace

std::vector<std::string> overridesOf(const config::LoadedExperiment& loaded) {
  std::vector<std::string> overrides;
  for (const auto& [key, origin] : loaded.origins) {
    if (origin.file == config::kOverrideFile)
      overrides.push_back(key + "=" + config::findField(key)->text(loaded.experiment));
  }
  return overrides;
}

SourceFiles sourceOf(const config::LoadedExperiment& loaded) {
  std::vector<fs::path> files;
  for (const fs::path& file : loaded.files) files.push_back(absoluteOf(file));
  fs::path folder = commonFolder(files);
  const auto isManifest = [&](const fs::path& file) { return file == folder / kManifest; };
  if (std::ranges::any_of(files, isManifest)) folder = folder.parent_path();
  SourceFiles source{folder, {}, loaded.texts, overridesOf(loaded)};
  for (const fs::path& file : files) source.files.push_back(file.lexically_relative(folder));
  return source;
}

void addOverrides(SourceFiles& source, const std::vector<std::string>& overrides) {
  for (const std::string& override : overrides) {
    std::erase_if(source.overrides, [&](const std::string& other) {
      return overriddenKey(other) == overriddenKey(override);
    });
    source.overrides.push_back(override);
  }
}

void writeSource(const Layout& layout, const SourceFiles& source) {
  std::error_code reason;
  fs::remove(layout.source() / kManifest, reason);  // first: without it the rest is not read
  fs::remove_all(layout.source(), reason);
  Manifest manifest{source.folder.string(), {}, source.overrides, checksumOfConfig(layout)};
  for (std::size_t i = 0; i < source.files.size(); ++i) {
    const fs::path copy = layout.source() / source.files[i];
    fs::create_directories(copy.parent_path(), reason);
    if (reason) throw Error(copy.parent_path().string() + ": " + reason.message());
    base::writeFileAtomically(copy, source.texts[i]);
    manifest.files.push_back(source.files[i].string());
  }
  writeManifest(layout.source() / kManifest, manifest);
}

std::optional<SourceFiles> readSource(const Layout& layout) {
  try {
    const Manifest manifest = readManifest(layout.source() / kManifest);
    if (manifest.configCrc32c != checksumOfConfig(layout)) return std::nullopt;
    return readFiles(layout.source(), manifest);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> editableCopy(const Layout& layout, const fs::path& to) {
  const std::optional<SourceFiles> source = readSource(layout);
  if (!source) return std::nullopt;
  const fs::path original = (source->folder / source->files[0]).parent_path();
  try {
    std::string text = config::movePaths(source->texts[0], original, to).text;
    if (!hasBasesOf(*source, text, to)) {
      if (source->files.size() < 2) return std::nullopt;
      const fs::path kept = absoluteOf(layout.source() / source->files[1]);
      text = config::setValue(text, "base", config::writeText(kept.string()));
      if (!hasBasesOf(*source, text, to)) return std::nullopt;
    }
    return withOverrides(std::move(text), source->overrides);
  } catch (const Error&) {
    return std::nullopt;  // a text that cannot be edited in place
  }
}

}  // namespace lockstep::run_folder
