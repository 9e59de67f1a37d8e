#include "engine/serve/invocations.h"

#include <nlohmann/json.hpp>

#include "engine/base/shortened_text.h"
#include "engine/serve/accepted_form.h"
#include "engine/serve/multipart.h"

namespace lockstep::serve {
namespace {

using nlohmann::json;
using protocol::AnswerForm;

/// Of the query, or of what SageMaker's clients send along, as it passes no query on:
/// `score=0.5; classes=cat,7`.
std::optional<std::string> settingOf(const HttpRequest& request, const char* name) {
  if (const auto given = request.parameter(name)) return std::string(*given);
  const std::string_view attributes = request.header("x-amzn-sagemaker-custom-attributes");
  return headerParameter("; " + std::string(attributes), name);
}

/// Of all parameters of this name, as clients write a list.
std::optional<std::string> classesOf(const HttpRequest& request) {
  std::optional<std::string> all;
  for (const auto& [name, value] : request.query)
    if (name == "classes") all = all.value_or("") + value + ",";
  return all ? all : settingOf(request, "classes");
}

AnswerForm formNamed(const std::string& name) {
  if (const auto form = base::parseEnum<AnswerForm>(name)) return *form;
  throw HttpError{400, "form: must be results, polygons, labels or overlay"};
}

AnswerForm acceptedFormOf(const HttpRequest& request) {
  std::string_view accept = request.header("accept");
  if (accept.empty()) accept = request.header("x-amzn-sagemaker-accept");
  if (const auto form = acceptedForm(accept)) return *form;
  throw HttpError{406, "Accept: this server answers application/json and image/png"};
}

/// `form`: that of the body, if it names one.
void takeMultipart(const HttpRequest& request, const RequestRules& rules, DetectionRequest& asked,
                   std::optional<AnswerForm>& form) {
  std::optional<std::string> classes;
  const auto boundary = headerParameter(request.header("content-type"), "boundary");
  for (const MultipartPart& part :
       multipartParts(request.body, boundary.value_or(""), rules.mostImages + 8)) {
    if (part.isFile) {
      addImage(asked, {.content = std::string(part.content)}, rules);
    } else if (part.name == "score") {
      asked.scoreThreshold = scoreOf(withoutSpace(part.content));
    } else if (part.name == "classes") {
      classes = classes.value_or("") + std::string(part.content) + ",";
    } else if (part.name == "form") {
      form = formNamed(std::string(withoutSpace(part.content)));
    }
  }
  if (classes) asked.categoryIds = rules.model.categoryIds(*classes);
}

ImageInput imageOfEntry(const json& entry, const RequestRules& rules) {
  if (entry.is_object())
    for (const char* kind : {"b64", "file", "url"})
      if (const auto found = entry.find(kind); found != entry.end() && found->is_string())
        return imageOfMember(kind, found->get<std::string>(), rules);
  throw HttpError{400, R"(images: each must be {"b64": …}, {"file": …} or {"url": …})"};
}

/// `form`: that of the body, if it names one.
void takeJson(const HttpRequest& request, const RequestRules& rules, DetectionRequest& asked,
              std::optional<AnswerForm>& form) {
  const json document = documentOf(request.body);
  if (const auto score = document.find("score"); score != document.end())
    asked.scoreThreshold = scoreOf(score->dump());
  if (const auto classes = document.find("classes"); classes != document.end())
    asked.categoryIds = categoryIdsOf(*classes, rules.model);
  if (const auto named = document.find("form"); named != document.end())
    form = formNamed(named->is_string() ? named->get<std::string>() : named->dump());
  for (const char* list : {"images", "instances"}) {
    const auto images = document.find(list);
    if (images == document.end() || !images->is_array()) continue;
    for (const json& entry : *images) addImage(asked, imageOfEntry(entry, rules), rules);
    return;
  }
  throw HttpError{400, R"(the body must have "images": [{"b64"|"file"|"url": …}, …])"};
}

/// The array of all images: each answer is one.
std::string joined(const std::vector<DetectionAnswer>& answers) {
  if (answers.size() == 1) return answers[0].content;
  std::string all = "[";
  for (const DetectionAnswer& answer : answers) {
    const std::string_view array = withoutSpace(answer.content);
    const std::string_view entries = array.substr(1, array.size() - 2);
    if (entries.empty()) continue;
    if (all.size() > 1) all += ",\n";
    all += entries;
  }
  return all + "]\n";
}

}  // namespace

DetectionRequest invocation(const HttpRequest& request, const RequestRules& rules) {
  DetectionRequest asked;
  std::optional<AnswerForm> form;
  if (const auto named = settingOf(request, "form")) form = formNamed(*named);
  if (const auto score = settingOf(request, "score")) asked.scoreThreshold = scoreOf(*score);
  if (const auto classes = classesOf(request))
    asked.categoryIds = rules.model.categoryIds(*classes);
  const std::string type = request.mediaType();
  if (type == "multipart/form-data") {
    takeMultipart(request, rules, asked, form);
  } else if (type == "application/json") {
    takeJson(request, rules, asked, form);
  } else if (type.starts_with("image/") || type == "application/octet-stream" ||
             type == "application/x-image" || type.empty()) {
    addImage(asked, {.content = request.body}, rules);
  } else {
    throw HttpError{415, "Content-Type: " + base::shortened(type) +
                             " is not read; send image/jpeg, image/png, image/webp, image/tiff, "
                             "multipart/form-data or application/json"};
  }
  asked.form = form ? *form : acceptedFormOf(request);
  const bool isPicture = asked.form == AnswerForm::Labels || asked.form == AnswerForm::Overlay;
  if (asked.images.empty()) throw HttpError{400, "the request has no image"};
  if (isPicture && asked.images.size() > 1)
    throw HttpError{406, "a picture is the answer to one image: send one, or accept JSON"};
  if (asked.form != AnswerForm::Results && !rules.model.hasMasks &&
      asked.form != AnswerForm::Overlay)
    throw HttpError{406, "the model has no masks: accept application/json"};
  asked.respond = [isPicture](const std::vector<DetectionAnswer>& answers) {
    return HttpResponse{.type = isPicture ? "image/png" : "application/json",
                        .body = joined(answers)};
  };
  return asked;
}

}  // namespace lockstep::serve
