#include "engine/eval/evaluation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::eval {
namespace {

using Json = nlohmann::ordered_json;

/// Non-finite numbers are written as strings, as in every JSON of this program.
Json number(double value) {
  const char* text = base::nonFiniteText(value);
  return text == nullptr ? Json(value) : Json(text);
}

Json lossesJson(const LossValues& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) json[config::kLossNames[i]] = number(values[i]);
  return json;
}

Json sumsJson(const LossSums& losses) {
  Json json{{"rois", losses.rois}};
  for (std::size_t i = 0; i < kObjectLosses.size(); ++i) {
    if (losses.count(i) > 0)
      json[config::kLosses[config::indexOf(kObjectLosses[i])].name] = number(losses.mean(i));
  }
  return json;
}

void addObjectLosses(const std::optional<ObjectLosses>& losses, Json& json) {
  if (!losses) return;
  Json classes = Json::array(), sizes = Json::object();
  for (const ClassLosses& ofClass : losses->byClass) {
    Json entry{{"category_id", ofClass.category.value}, {"name", ofClass.name}};
    entry.update(sumsJson(ofClass.losses));
    classes.push_back(std::move(entry));
  }
  for (std::size_t size = 0; size < losses->bySize.size(); ++size) {
    if (losses->bySize[size].rois > 0)
      sizes[coco::kObjectSizeNames[size]] = sumsJson(losses->bySize[size]);
  }
  json["losses_by_class"] = std::move(classes);
  json["losses_by_size"] = std::move(sizes);
}

Json statsJson(const std::optional<coco::AveragePrecision>& precision) {
  if (!precision) return nullptr;
  Json json = Json::object();
  for (std::size_t i = 0; i < precision->stats.size(); ++i) {
    json[precision->names[i]] = number(precision->stats[i]);
  }
  return json;
}

Json classesJson(const Evaluation& evaluation) {
  Json classes = Json::array();
  if (!evaluation.bbox) return classes;
  for (std::size_t i = 0; i < evaluation.bbox->classes.size(); ++i) {
    const auto& box = evaluation.bbox->classes[i];
    Json entry{{"category_id", box.category.value},
               {"name", box.name},
               {"bbox", {{"AP", number(box.ap)}, {"AP50", number(box.ap50)}}}};
    if (evaluation.segm) {
      const auto& mask = evaluation.segm->classes[i];
      entry["segm"] = {{"AP", number(mask.ap)}, {"AP50", number(mask.ap50)}};
    }
    classes.push_back(std::move(entry));
  }
  return classes;
}

/// The limit is the same for boxes and masks, which have the same objects and detections.
coco::PastLimit pastLimitOf(const Evaluation& evaluation) {
  return evaluation.bbox ? evaluation.bbox->pastLimit : coco::PastLimit();
}

std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

LossValues meanLosses(const std::vector<ImageLosses>& perImage) {
  LossValues sum{};
  for (const ImageLosses& image : perImage) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += image.values[i];
  }
  for (double& value : sum) value /= static_cast<double>(std::max<std::size_t>(1, perImage.size()));
  return sum;
}

std::string toJson(const Evaluation& evaluation, bool withPerImage) {
  Json json{{"step", evaluation.step}, {"images", evaluation.imageCount}};
  if (!evaluation.badImages.empty()) json["bad_images"] = evaluation.badImages.size();
  json["losses"] = evaluation.losses ? lossesJson(*evaluation.losses) : Json(nullptr);
  addObjectLosses(evaluation.objectLosses, json);
  if (withPerImage) {
    Json images = Json::array();
    for (const ImageLosses& image : evaluation.perImage) {
      Json entry{{"image_id", image.imageId.value}};
      entry.update(lossesJson(image.values));
      images.push_back(std::move(entry));
    }
    json["per_image"] = std::move(images);
  }
  json["bbox"] = statsJson(evaluation.bbox);
  json["segm"] = statsJson(evaluation.segm);
  json["classes"] = classesJson(evaluation);
  if (const coco::PastLimit past = pastLimitOf(evaluation); !past.isEmpty()) {
    for (const auto& [name, count] : coco::kPastLimitMembers)
      json["past_limit"][name] = past.*count;
  }
  return dump(json);
}

EvaluationRequest metricsIn(const std::filesystem::path& file) {
  try {
    const Json json = Json::parse(base::readFile(file));
    return {.losses = json.at("losses").is_object(),
            .averagePrecision = json.at("bbox").is_object()};
  } catch (const Error&) {
    return {.losses = false, .averagePrecision = false};
  } catch (const Json::exception&) {
    return {.losses = false, .averagePrecision = false};
  }
}

std::string predictionsJson(const std::vector<ImageId>& imageIds, double scoreThreshold,
                            const std::vector<coco::Detection>& detections,
                            const std::vector<std::string>& unreadable) {
  Json ids = Json::array();
  for (ImageId id : imageIds) ids.push_back(id.value);
  std::string text =
      "{\"image_ids\": " + ids.dump() + ", \"score_threshold\": " + Json(scoreThreshold).dump();
  if (!unreadable.empty())
    text += ", \"unreadable\": " +
            Json(unreadable).dump(-1, ' ', false, Json::error_handler_t::replace);
  return text + ", \"detections\": " + coco::detectionsToJson(detections) + "}\n";
}

std::vector<std::pair<std::string, float>> evaluationScalars(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, float>> scalars;
  if (evaluation.losses) {
    for (std::size_t i = 0; i < evaluation.losses->size(); ++i) {
      scalars.emplace_back(events::tags::eval(config::kLossNames[i]),
                           static_cast<float>((*evaluation.losses)[i]));
    }
  }
  const auto addStats = [&](const char* kind,
                            const std::optional<coco::AveragePrecision>& precision) {
    if (!precision) return;
    for (std::size_t i = 0; i < precision->stats.size(); ++i) {
      scalars.emplace_back(events::tags::eval(std::string(kind) + "/" + precision->names[i]),
                           static_cast<float>(precision->stats[i]));
    }
  };
  addStats("bbox", evaluation.bbox);
  addStats("segm", evaluation.segm);
  const auto& main = evaluation.segm ? evaluation.segm : evaluation.bbox;
  if (!main) return scalars;
  const char* apTag = evaluation.segm ? events::tags::kMaskAp : events::tags::kBoxAp;
  for (const coco::ClassAveragePrecision& each : main->classes) {
    if (each.ap >= 0)
      scalars.emplace_back(events::tags::apOfClass(apTag, each.category.value),
                           static_cast<float>(each.ap));
  }
  return scalars;
}

std::optional<double> metricValue(const Evaluation& evaluation, std::string_view metric) {
  for (std::size_t i = 0; i < config::kLossNames.size(); ++i) {
    if (metric != config::kLossNames[i]) continue;
    // No value compares as better than NaN, so that it would stay the best.
    if (!evaluation.losses || !std::isfinite((*evaluation.losses)[i])) return std::nullopt;
    return (*evaluation.losses)[i];
  }
  for (const auto& [kind, precision] :
       {std::pair{"bbox/", &evaluation.bbox}, std::pair{"segm/", &evaluation.segm}}) {
    if (!metric.starts_with(kind)) continue;
    const std::string_view name = metric.substr(std::string_view(kind).size());
    // Without AP the limits of the recalls are not known.
    if (!*precision && name.starts_with("AR")) return std::nullopt;
    const std::vector<std::string> names = *precision ? (*precision)->names : coco::metricNames();
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) continue;
    if (!*precision) return std::nullopt;
    const double value = (*precision)->stats[static_cast<std::size_t>(found - names.begin())];
    return value < 0 ? std::nullopt : std::optional(value);
  }
  throw UserError("evaluation.best_metric: unknown metric '" + std::string(metric) +
                  "'; use segm/AP, bbox/AP50, loss_total, loss_mask or similar");
}

bool isBetter(std::string_view metric, double value, double than, double byMoreThan) {
  return config::isLoss(metric) ? value < than - byMoreThan : value > than + byMoreThan;
}

}  // namespace lockstep::eval
