#include "engine/coco/files/results_by_image.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/coco/files/error_list.h"
#include "engine/coco/files/result_entries.h"

namespace lockstep::coco {

/// What all entries say, but for where they are.
struct ResultsSummary {
  ResultEntry first{};  ///< of the file
  std::atomic<bool> haveMasks = true;
};

namespace {

constexpr std::string_view kList = "detections", kImages = "image_ids", kUnreadable = "unreadable";

/// An entry in the file's text.
struct Place {
  ImageId image;
  std::uint64_t at = 0;  ///< of its first byte
  bool hasOddScore = false;
};

struct Tables {
  JsonTable results;
  std::optional<std::vector<ImageId>> images;  ///< std::nullopt: those with results
  std::vector<std::string> unreadable{};
};

std::vector<ImageId> readIds(const JsonFile& file, const JsonTable& table) {
  std::vector<ImageId> ids;
  PieceReader reader(file);
  for (const JsonPiece& piece : table.pieces)
    reader.read(piece, [&](JsonValue value) {
      std::int64_t id = 0;
      if (value.get_int64().get(id) == simdjson::SUCCESS) ids.push_back(ImageId{id});
    });
  return ids;
}

std::vector<std::string> readTexts(const JsonFile& file, const JsonTable& table) {
  std::vector<std::string> texts;
  PieceReader reader(file);
  for (const JsonPiece& piece : table.pieces)
    reader.read(piece, [&](JsonValue value) {
      std::string_view text;
      if (value.get_string().get(text) == simdjson::SUCCESS) texts.emplace_back(text);
    });
  return texts;
}

Tables findTables(const JsonFile& file) {
  JsonOutline outline = file.outline();
  checkTable(file, outline.rest);
  if (outline.kind == std::string_view("an array"))
    return {std::move(outline.elements), std::nullopt};
  Tables tables;
  bool hasList = false;
  for (JsonOutline::Member& member : outline.members) {
    const bool isList = member.kind == std::string_view("an array");
    if (isList && member.key == kList) {
      hasList = true;
      tables.results = std::move(member.table);
    } else if (isList && member.key == kImages) {
      tables.images = readIds(file, member.table);
    } else if (isList && member.key == kUnreadable) {
      tables.unreadable = readTexts(file, member.table);
    } else {
      checkTable(file, member.table);
    }
  }
  if (!hasList)
    throw Error(file.name() + ": is " + outline.kind +
                ", not COCO results nor an object with them as \"detections\"");
  return tables;
}

ImageId renamed(const JsonFile& file, ImageId written, const std::vector<ImageId>& as) {
  if (as.size() == 1) return as.front();
  const auto place = static_cast<std::size_t>(written.value - 1);
  if (place >= as.size())
    throw Error(file.name() + ": has results of image " + std::to_string(written.value) +
                ", and there were " + std::to_string(as.size()));
  return as[place];
}

std::vector<Place> readPlaces(const JsonFile& file, const JsonTable& results,
                              ResultsSummary& summary) {
  ErrorList errors(file.name());
  const std::size_t firstAt =
      results.pieces.empty()
          ? 0
          : file.text().find('{', file.byteOf(results.pieces.front().text.data()) - 1);
  auto places = readTable<Place>(
      file, results,
      [&](JsonValue value, RecordReader& record, const PieceReader& reader) {
        const std::uint64_t at = reader.byteOf(value) - 1;
        const ResultEntry entry = takeEntry(file, value, record, reader);
        if (at == firstAt) summary.first = entry;  // by one thread
        if (entry.maskBytes == 0) summary.haveMasks = false;
        return Place{entry.imageId, at, entry.score < 0 || entry.score > 1};
      },
      [&](const RecordError& error, const Place&) {
        errors.add("result " + std::to_string(error.index + 1), error.what(), error.byte);
        return false;
      });
  errors.throwIfAny();
  return places;
}

}  // namespace

/// Results of one image that follow one another.
struct ResultsByImage::Stretch {
  ImageId image;
  std::uint64_t at = 0, bytes = 0;  ///< in the text, without the comma after the last
  std::uint32_t first = 0;          ///< index of the first in the file
  std::uint32_t count = 0;
};

struct ResultsByImage::Content {
  JsonFile file;
  ResultsSummary summary{};
  std::vector<Stretch> stretches{};  ///< by image, then by place
  std::vector<std::string> unreadable{};
  std::size_t oddScores = 0;

  void collect(const std::vector<Place>& places, const JsonTable& results);
};

void ResultsByImage::Content::collect(const std::vector<Place>& places, const JsonTable& results) {
  if (places.empty()) return;
  const std::string_view last = results.pieces.back().text;
  const std::uint64_t end = file.byteOf(last.data()) - 1 + last.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || stretches.back().image != places[i].image)
      stretches.push_back({places[i].image, places[i].at, 0, static_cast<std::uint32_t>(i), 0});
    Stretch& own = stretches.back();
    ++own.count;
    const std::uint64_t next = i + 1 < places.size() ? places[i + 1].at : end;
    own.bytes = file.text().substr(0, next).find_last_of('}') + 1 - own.at;
  }
  std::ranges::stable_sort(stretches, {}, &Stretch::image);
  stretches.shrink_to_fit();
}

ResultsByImage::ResultsByImage(const std::filesystem::path& file, const std::vector<ImageId>& as)
    : content_(new Content{JsonFile::load(file, "file of predictions")}) {
  requireRoomFor(content_->file);
  Tables tables = findTables(content_->file);
  std::vector<Place> places = readPlaces(content_->file, tables.results, content_->summary);
  if (!as.empty()) {
    if (!tables.images) images_ = as;
    for (const ImageId id : tables.images.value_or(std::vector<ImageId>()))
      images_.push_back(renamed(content_->file, id, as));
    for (Place& place : places) place.image = renamed(content_->file, place.image, as);
  } else if (tables.images) {
    images_ = *std::move(tables.images);
  }
  content_->oddScores =
      static_cast<std::size_t>(std::ranges::count(places, true, &Place::hasOddScore));
  content_->collect(places, tables.results);
  content_->unreadable = std::move(tables.unreadable);
  if (!as.empty()) {
    std::erase(images_, kUnwanted);
    std::erase_if(content_->stretches,
                  [](const Stretch& stretch) { return stretch.image == kUnwanted; });
  }
  for (const Stretch& stretch : content_->stretches) images_.push_back(stretch.image);
  orderImages();
}

ResultsByImage::~ResultsByImage() = default;

void ResultsByImage::orderImages() {
  std::ranges::sort(images_);
  const auto doubled = std::ranges::unique(images_);
  images_.erase(doubled.begin(), doubled.end());
}

void ResultsByImage::renameImages(const std::map<ImageId, ImageId>& meant) {
  const auto rename = [&](ImageId& image) {
    if (const auto found = meant.find(image); found != meant.end()) image = found->second;
  };
  for (Stretch& stretch : content_->stretches) rename(stretch.image);
  for (ImageId& image : images_) rename(image);
  std::ranges::stable_sort(content_->stretches, {}, &Stretch::image);
  orderImages();
}

const std::vector<std::string>& ResultsByImage::unreadable() const { return content_->unreadable; }

bool ResultsByImage::haveMasks() const { return content_->summary.haveMasks; }

std::size_t ResultsByImage::oddScoreCount() const { return content_->oddScores; }

std::span<const ResultsByImage::Stretch> ResultsByImage::stretchesOf(ImageId image) const {
  const auto found = std::ranges::equal_range(content_->stretches, image, {}, &Stretch::image);
  return {found.begin(), found.end()};
}

std::vector<Detection> ResultsByImage::detectionsOf(ImageId image) const {
  const JsonFile& file = content_->file;
  PieceReader reader(file);
  EntryDecoder decoder(file, &content_->summary.first);
  std::vector<Detection> detections;
  for (const Stretch& stretch : stretchesOf(image)) {
    const JsonPiece piece{file.text().substr(stretch.at, stretch.bytes), stretch.first,
                          stretch.count};
    std::size_t index = stretch.first;
    reader.read(piece, [&](JsonValue value) {
      RecordReader record;
      const ResultEntry entry = takeEntry(file, value, record, reader);
      if (record.hasError()) file.throwBroken(simdjson::TAPE_ERROR);  // it was valid before
      detections.push_back(decoder.decode(entry, index++));
      detections.back().imageId = image;
    });
  }
  return detections;
}

}  // namespace lockstep::coco
