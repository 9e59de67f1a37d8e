#include "engine/coco/files/lenient_dataset.h"

#include <atomic>
#include <unordered_set>
#include <utility>

#include "engine/coco/files/dataset_checks.h"
#include "engine/coco/files/json_error.h"
#include "engine/coco/files/json_file.h"

namespace lockstep::coco {
namespace {

DatasetParts readContent(const JsonFile& file, ErrorList& errors) {
  try {
    return readParts(file, errors);
  } catch (const base::SystemError&) {
    throw;
  } catch (const ReadingStopped&) {
    throw;
  } catch (const InvalidJson& error) {
    throw InvalidDataset(error.what(), error.byte());
  } catch (const NotInstances& error) {
    throw InvalidDataset(error.what(), 0, /*isOtherFile=*/true);
  } catch (const Error& error) {
    file.throwIfChanged();
    throw InvalidDataset(error.what(), 0);
  }
}

/// Marks annotations of dropped images and categories, and annotations that are empty once mended.
void markConsequences(std::vector<EntryError>& errors) {
  std::unordered_set<std::int64_t> invalidImages, invalidCategories;
  std::unordered_set<std::size_t> mended;  // bytes
  for (const EntryError& error : errors) {
    if (error.table == EntryTable::Images && error.imageId) invalidImages.insert(*error.imageId);
    if (error.table == EntryTable::Categories && error.categoryId)
      invalidCategories.insert(*error.categoryId);
    if (isMendable(error.fault)) mended.insert(error.byte);
  }
  for (EntryError& error : errors) {
    error.isConsequence =
        (error.fault == EntryFault::UnknownImage && invalidImages.contains(*error.imageId)) ||
        (error.fault == EntryFault::UnknownClass &&
         invalidCategories.contains(*error.categoryId)) ||
        (error.fault == EntryFault::Invalid && mended.contains(error.byte));
  }
}

}  // namespace

LenientDataset loadLeniently(const std::filesystem::path& path, const ReadingWatch& watch) {
  JsonFile file = JsonFile::load(path, "annotation file");
  std::atomic<std::size_t> done = 0;
  if (watch) {
    file.setOnUsed([&](std::size_t bytes) {
      const std::size_t all = done += bytes;
      // The text is gone through twice: for its outline and for its entries.
      if (!watch(static_cast<double>(all) / (2.0 * static_cast<double>(file.text().size()))))
        throw ReadingStopped();
    });
  }
  ErrorList errors(file.name(), /*isLenient=*/true);
  DatasetParts parts = readContent(file, errors);
  checkAnnotations(parts, errors);
  LenientDataset lenient;
  for (const ImageDraft& draft : parts.images) lenient.imageBytes.push_back(draft.byte);
  for (const CategoryDraft& draft : parts.categories) lenient.categoryBytes.push_back(draft.byte);
  lenient.origins = perImage<AnnotationOrigin>(parts);
  for (const AnnotationDraft& draft : parts.annotations) {
    const auto id = draft.hasId ? std::optional(draft.annotation.id) : std::nullopt;
    lenient.origins[draft.image].push_back({draft.byte, id, draft.hasBox});
  }
  lenient.dataset = Dataset::assemble(std::move(parts));
  lenient.errors = errors.takeAll();
  markConsequences(lenient.errors);
  ErrorList refused(file.name());
  for (const EntryError& error : lenient.errors)
    if (!error.isTolerated) refused.add(error);
  lenient.refusal = refused.text();
  return lenient;
}

}  // namespace lockstep::coco
