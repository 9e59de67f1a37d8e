#include <algorithm>
#include <map>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/config/value_text.h"
#include "engine/dataset_check/check_report.h"
#include "engine/dataset_check/kind_texts.h"

namespace lockstep::dataset_check {
namespace {

constexpr std::size_t kShownFindings = 5, kShownClasses = 10, kShownSizes = 4;

std::string countText(std::int64_t count, const char* what) {
  return base::counted(static_cast<std::uint64_t>(count), what);
}

std::string line(const std::string& name, const std::string& text) {
  std::string padded = name.empty() ? "" : name + ":";
  padded.append(padded.size() < 12 ? 12 - padded.size() : 1, ' ');
  return padded + text + "\n";
}

std::string share(std::int64_t part, std::int64_t all) {
  return base::percent(all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all));
}

std::string sizesText(const PartFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(facts.imageSizes.size(), kShownSizes); ++i) {
    const SizeFacts& size = facts.imageSizes[i];
    text += (i == 0 ? "" : ", ") + std::to_string(size.width) + " x " +
            std::to_string(size.height) + " px (" +
            (i == 0 ? countText(size.images, "image") : std::to_string(size.images)) + ")";
  }
  const std::size_t more = facts.imageSizes.size() - std::min(facts.imageSizes.size(), kShownSizes);
  return more == 0 ? text : text + " and " + base::counted(more, "other size");
}

/// From the most frequent class to the rarest.
std::string classesText(const PartFacts& facts) {
  std::vector<const ClassFacts*> classes;
  for (const ClassFacts& one : facts.classes) classes.push_back(&one);
  std::ranges::stable_sort(classes, std::greater(), [](const auto* one) { return one->objects; });
  std::string text;
  const auto add = [&](const ClassFacts& one) {
    text += (text.empty() ? "" : ", ") + base::shortened(one.category.name) + " " +
            std::to_string(one.objects);
  };
  for (std::size_t i = 0; i < std::min(classes.size(), kShownClasses); ++i) add(*classes[i]);
  if (classes.size() <= kShownClasses) return text;
  text += " …";
  const ClassFacts& rarest = *classes.back();
  return text + " " + base::shortened(rarest.category.name) + " " + std::to_string(rarest.objects);
}

std::string anchorsText(const PartFacts& facts) {
  const double missed = facts.anchors.all().share();
  std::string text = "no anchor has IoU 0.5 with " + base::percent(missed) + " of " +
                     countText(facts.usableObjects, "object") + " over 1 px";
  if (facts.anchors.isGood() || facts.suggestedMissed >= missed) return text;
  return text + "; with sizes: " + config::writeNumbers(facts.suggestedAnchors.sizes) +
         ", aspect_ratios: " + config::writeNumbers(facts.suggestedAnchors.aspectRatios) +
         " it is " + base::percent(facts.suggestedMissed);
}

/// The edges between which the middle half of the values is: `0.7 … 1.4`.
std::string middleHalf(const Histogram& histogram) {
  std::int64_t all = 0, sum = 0;
  for (const std::int64_t count : histogram.counts) all += count;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const bool wasBelow = 4 * sum < all, wasIn = 4 * sum < 3 * all;
    sum += histogram.counts[i];
    if (wasBelow && 4 * sum >= all) low = histogram.edges[i];
    if (wasIn && 4 * sum >= 3 * all) high = histogram.edges[i + 1];
  }
  return base::shortNumber(low, 2) + " … " + base::shortNumber(high, 2);
}

std::string partText(const CheckedPart& part, const config::Experiment& experiment) {
  const PartFacts& facts = part.facts;
  const auto nameOfPart = nameOf(part.data.part);
  if (!part.isRead) return line(nameOfPart, part.data.annotations + " cannot be read");
  std::string text = line(
      nameOfPart, countText(facts.images, "image") + ", " + countText(facts.objects, "object") +
                      (facts.crowds > 0 ? ", " + countText(facts.crowds, "crowd") : "") + ", " +
                      base::counted(facts.classes.size(), "class"));
  if (facts.images == 0) return text;
  text += line("  images", sizesText(facts));
  if (facts.objects > 0)
    text += line("  objects", std::to_string(facts.fewestObjects) + " … " +
                                  std::to_string(facts.mostObjects) + " per image, " +
                                  base::shortNumber(facts.meanObjects, 3) +
                                  " on average; most in " + base::shortened(facts.mostCrowdedFile));
  if (facts.emptyImages > 0)
    text += line("  empty", countText(facts.emptyImages, "image") + " without objects");
  if (facts.boxOnlyObjects > 0)
    text += line("  no mask", countText(facts.boxOnlyObjects, "object") + " with a box only");
  text += line("  classes", classesText(facts));
  if (facts.objects == 0) return text;
  text += line("  sizes", "small " + share(facts.bySize[0], facts.objects) + ", medium " +
                              share(facts.bySize[1], facts.objects) + ", large " +
                              share(facts.bySize[2], facts.objects) + " at min_size " +
                              std::to_string(experiment.augment.minSize.back()) + ", max_size " +
                              std::to_string(experiment.augment.maxSize));
  text +=
      line("  shapes", "half of the objects have height / width " + middleHalf(facts.aspectRatios));
  text += line("  anchors", anchorsText(facts));
  if (!facts.limitText.empty()) text += line("  limits", facts.limitText);
  return text;
}

/// ` training annotation 7 of image 3:`
std::string placeOf(const Finding& found, std::size_t parts) {
  std::string place = parts > 1 ? std::string(" ") + nameOf(found.part) : std::string();
  if (found.annotationId) place += " annotation " + std::to_string(*found.annotationId);
  if (found.annotationId && found.imageId) place += " of";
  if (found.imageId) place += " image " + std::to_string(*found.imageId);
  return place.empty() ? place : place + ":";
}

std::string findingText(const Finding& found, const DatasetCheck& check) {
  const std::string place = placeOf(found, check.parts.size());
  std::string file;
  for (const CheckedPart& part : check.parts)
    if (part.data.part == found.part && found.file != part.data.annotations)
      file = base::shortened(
                 std::filesystem::path(found.file).lexically_relative(part.data.images).string()) +
             " ";
  return " " + place + " " + file + found.text + "\n";
}

std::string listText(const char* title, const std::vector<Finding>& findings,
                     const DatasetCheck& check) {
  std::map<FindingKind, std::vector<const Finding*>> byKind;
  for (const Finding& found : findings) byKind[found.kind].push_back(&found);
  std::string text = line(title, findings.empty() ? "none" : std::to_string(findings.size()));
  for (const auto& [kind, ofKind] : byKind) {
    text += std::string(base::textOf(kind)) + " " + std::to_string(ofKind.size()) + ": " +
            textOf(kind).what + "\n";
    for (std::size_t i = 0; i < std::min(ofKind.size(), kShownFindings); ++i)
      text += findingText(*ofKind[i], check);
    if (ofKind.size() > kShownFindings)
      text += "  … " + std::to_string(ofKind.size() - kShownFindings) + " more\n";
  }
  return text;
}

std::string fixesText(const CleanedDataset& cleaned) {
  std::string text;
  for (const CleanedPart& part : cleaned.parts) {
    text += line(text.empty() ? "cleaned" : "", countText(part.images, "image") + ", " +
                                                    countText(part.annotations, "annotation") +
                                                    " in " + part.file);
  }
  for (const auto& [kind, count] : cleaned.fixes) {
    std::string what;
    for (const auto& [number, became] :
         {std::pair(count.mended, "fixed"), std::pair(count.removed, "removed"),
          std::pair(count.resolved, "resolved by other fixes")})
      if (number > 0) what += (what.empty() ? " " : ", ") + std::to_string(number) + " " + became;
    text += std::string(base::textOf(kind)) + what + ": " + textOf(kind).remedy + "\n";
  }
  for (const std::string& what : cleaned.unmended) text += line("left", what);
  return text;
}

/// `yes`, or a line for each reason.
std::string verdictText(const char* title, const char* yes, const std::string& no,
                        const std::vector<std::string>& refusals) {
  if (refusals.empty()) return line(title, yes);
  std::string text;
  for (const std::string& refusal : refusals)
    text += line(text.empty() ? title : "",
                 (text.empty() ? no : std::string(no.size(), ' ')) + refusal);
  return text;
}

}  // namespace

std::vector<std::string> refusalsOf(const DatasetCheck& check, const CleanedDataset* cleaned) {
  if (cleaned == nullptr) return check.refusals;
  std::vector<std::string> refusals;
  for (const CheckedPart& part : check.parts)
    if (!part.isRead)
      refusals.push_back(part.data.key() + ".annotations: " + part.data.content.refusal);
  std::ranges::copy(cleaned->refusals, std::back_inserter(refusals));
  return refusals;
}

std::string summaryOf(const DatasetCheck& check, const config::Experiment& experiment,
                      const CleanedDataset* cleaned) {
  std::string text;
  for (const CheckedPart& part : check.parts) text += partText(part, experiment);
  text += listText("errors", check.faults, check) + listText("warnings", check.notes, check);
  if (cleaned == nullptr) return text + verdictText("usable", "yes", "no: ", check.refusals);
  return text + fixesText(*cleaned) +
         verdictText("source", "usable", "unusable: ", check.refusals) +
         verdictText("usable", "yes, as cleaned", "no, as cleaned: ", refusalsOf(check, cleaned));
}

}  // namespace lockstep::dataset_check
