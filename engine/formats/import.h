#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/formats/exif_rule.h"
#include "engine/formats/format.h"
#include "engine/formats/source.h"

namespace lockstep::formats {

struct ImportOptions {
  fs::path source{};                 ///< a folder or a file
  fs::path out{};                    ///< a new folder
  std::optional<Format> format{};    ///< none: detected
  std::optional<double> valShare{};  ///< none: the source's own parts, else 0.2
  std::uint64_t seed = 1;
  std::string groupPattern{};  ///< of SplitOptions; splits anew
  fs::path classes{};          ///< a file with a class name per line; empty: those of the source
  bool copiesImages = false;
  std::optional<ExifUse> exif{};  ///< where the data do not decide (exif_rule.h)
  bool keepsEmpty = false;        ///< images whose objects nobody knows come in without objects
};

struct PartReport {
  std::int64_t images = 0, objects = 0;
};

struct ImportReport {
  Format format = Format::Coco;
  PartReport train{}, val{}, test{};
  std::vector<std::string> classes{};
  bool isSplitAnew = false;
  bool isTestHeldOut = false;  ///< the source has a test part but no validation part
  std::int64_t boxOnlyObjects = 0, emptyImages = 0;
  std::int64_t unlabelledImages = 0;  ///< left out, or with keepsEmpty among emptyImages
  ExifDecision exif{};
  std::vector<FoundFormat> otherFormats{};  ///< in the source, not read
  std::int64_t mostObjects = 0;             ///< of an image
  int minSizePx = 0;                        ///< augment.min_size that suits the objects' sizes
  std::vector<Fault> faults{};
  std::map<std::string, std::int64_t> losses{};

  /// No object has a mask.
  bool isBoxOnly() const {
    return boxOnlyObjects > 0 && boxOnlyObjects >= train.objects + val.objects + test.objects;
  }
};

struct ReadDataset {
  Format format = Format::Coco;
  Source source;  ///< every object's category is listed, with an id
  fs::path folder;
  ExifDecision exif{};
  std::vector<FoundFormat> otherFormats{};
};
/// The reading part of importDataset() and of exports: `options` without those of splitting.
/// Pictures that annotation files hold are written below `extracted`. Throws UserError for an
/// unknown format.
ReadDataset readDataset(const ImportOptions& options, const fs::path& extracted,
                        const ImageCodec& images,
                        const std::function<void(const std::string& what, std::size_t done,
                                                 std::size_t all)>& onProgress = {});

/// `dataset import`: writes OUT/annotations/instances_{train,val}.json (and instances_test.json, if
/// the source has a test part as well), OUT/experiment.yaml and OUT/faults.txt, if there are
/// faults. OUT appears whole or not at all. Images are referred to, or copied into
/// OUT/{train,val,test}. Throws UserError for an unknown format or an unusable option, Error if no
/// image has an object.
ImportReport importDataset(const ImportOptions& options, const ImageCodec& images,
                           const std::function<void(const std::string& what, std::size_t done,
                                                    std::size_t all)>& onProgress = {});

}  // namespace lockstep::formats
