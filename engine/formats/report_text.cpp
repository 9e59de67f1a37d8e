#include "engine/formats/report_text.h"

#include <algorithm>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"

namespace lockstep::formats {
namespace {

constexpr std::size_t kMostFaults = 10, kMostClasses = 10;

std::string line(const std::string& name, const std::string& text) {
  std::string padded = name + ":";
  padded.append(padded.size() < 12 ? 12 - padded.size() : 1, ' ');
  return padded + text + "\n";
}

std::string counted(std::int64_t count, const char* what) {
  return base::counted(static_cast<std::uint64_t>(count), what);
}

std::string partText(const PartReport& part) {
  return counted(part.images, "image") + ", " + counted(part.objects, "object");
}

std::string classesText(const std::vector<std::string>& classes) {
  std::string text = std::to_string(classes.size()) + ": ";
  for (std::size_t i = 0; i < std::min(classes.size(), kMostClasses); ++i)
    text += (i == 0 ? "" : ", ") + base::shortened(classes[i]);
  return text + (classes.size() > kMostClasses ? ", …" : "");
}

std::string splitText(const ImportReport& report, const ImportOptions& options) {
  if (!report.isSplitAnew)
    return report.isTestHeldOut ? " (the source's test split)" : " (the source's validation split)";
  const std::string by = options.groupPattern.empty() ? "by image" : "by group";
  return " (split " + by + ", seed " + std::to_string(options.seed) + ")";
}

std::string exifText(const ExifDecision& exif) {
  return counted(exif.images, "image") + " with an EXIF orientation (first: " + exif.first +
         "): annotations refer to the " +
         (exif.use == ExifUse::Apply ? "displayed image" : "stored pixels");
}

std::string exifReason(const ExifDecision& exif, Format format) {
  switch (exif.reason) {
    case ExifDecision::Reason::Option:
      return "set by --exif";
    case ExifDecision::Reason::OtherSizes:
      return "as the sizes of other images show";
    case ExifDecision::Reason::Format:
      return std::string("the convention of ") + base::textOf(format);
  }
  return {};
}

/// `crowds, which CVAT's format does not support: left out (3)`
std::string lossText(const std::string& what, std::int64_t count) {
  return what + " (" + std::to_string(count) + ")";
}

}  // namespace

std::string summaryOf(const ImportReport& report, const ImportOptions& options) {
  std::string text = line("format", base::textOf(report.format)) +
                     line("training", partText(report.train)) +
                     line("validation", partText(report.val) + splitText(report, options));
  if (report.test.images > 0)
    text += line("test", partText(report.test) + " (instances_test.json)");
  text += line("classes", classesText(report.classes));
  if (report.emptyImages > 0)
    text += line("empty", counted(report.emptyImages, "image") + " without objects");
  if (report.unlabelledImages > 0) {
    text +=
        line("unlabelled",
             counted(report.unlabelledImages, "image") +
                 (options.keepsEmpty ? " included (--keep-empty)"
                                     : " not imported; --keep-empty imports them without objects"));
  }
  if (report.exif.images > 0)
    text += line("exif", exifText(report.exif) + ", " + exifReason(report.exif, report.format));
  text += line("max", counted(report.mostObjects, "object") + " in an image");
  if (report.boxOnlyObjects > 0) {
    text += line(
        "no mask",
        counted(report.boxOnlyObjects, "object") +
            (report.isBoxOnly()
                 ? " with a box only: experiment.yaml trains a box detector (model.masks: false)"
                 : " with a box only: the mask head does not train on them"));
  }
  for (const auto& [what, count] : report.losses) text += line("lost", lossText(what, count));
  if (!report.faults.empty())
    text += line("import errors", std::to_string(report.faults.size()) + ", listed in " +
                                      (options.out / "faults.txt").string());
  return text;
}

std::string summaryOf(const ExportReport& report) {
  std::string text =
      line("exported", counted(report.images, "image") + ", " + counted(report.objects, "object"));
  for (const auto& [what, count] : report.losses) text += line("lost", lossText(what, count));
  return text;
}

std::vector<std::string> warningsOf(const ExifDecision& exif, Format format,
                                    const std::vector<FoundFormat>& otherFormats) {
  std::vector<std::string> warnings;
  for (const FoundFormat& other : otherFormats) {
    const std::string name = base::textOf(other.format);
    warnings.push_back("also found: " + name + " (" + other.example.string() +
                       "), which is not read; import it separately with --from " + name);
  }
  if (exif.images > 0 && exif.reason == ExifDecision::Reason::Format) {
    warnings.push_back(exifText(exif) + ", " + exifReason(exif, format) + "; --exif " +
                       (exif.use == ExifUse::Apply ? "ignore uses the stored pixels"
                                                   : "apply uses the displayed image"));
  }
  return warnings;
}

std::vector<std::string> faultLines(const std::vector<Fault>& faults, const std::string& remedy) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(faults.size(), kMostFaults); ++i)
    lines.push_back(faults[i].text());
  if (!faults.empty()) lines.push_back(base::counted(faults.size(), "error") + remedy);
  return lines;
}

}  // namespace lockstep::formats
