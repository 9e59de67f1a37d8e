#include "engine/serve/invocations.h"

#include <nlohmann/json.hpp>

#include "engine/base/shortened_text.h"
#include "engine/serve/accepted_form.h"
#include "engine/serve/multipart.h"
#include "engine/serve/pixel_arrays.h"

namespace lockstep::serve {
namespace {

using nlohmann::json;
using protocol::AnswerForm;

/// Throws HttpError for a parameter, field or member that would have no effect.
void requireSetting(std::string_view name) {
  for (const char* known : {"score", "classes", "form"})
    if (name == known) return;
  throw HttpError{400, "'" + base::shortened(name) +
                           "' is unknown: a request has images, and the settings score, classes "
                           "and form"};
}

/// Setting in the query, or in an attribute of SageMaker, which passes no query on:
/// `score=0.5; classes=cat,7`. Empty settings, which forms send, do not count.
std::optional<std::string> settingOf(const HttpRequest& request, const char* name) {
  if (const auto given = request.parameter(name); given && !given->empty())
    return std::string(*given);
  const std::string_view attributes = request.header("x-amzn-sagemaker-custom-attributes");
  const auto given = headerParameter("; " + std::string(attributes), name);
  return given && !given->empty() ? given : std::nullopt;
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
      continue;
    }
    const std::string text(withoutSpace(part.content));
    if (text.empty()) continue;  // a field that was left empty
    requireSetting(part.name);
    if (part.name == "score") asked.scoreThreshold = scoreOf(text);
    if (part.name == "classes") classes = classes.value_or("") + text + ",";
    if (part.name == "form") form = formNamed(text);
  }
  if (classes) asked.categoryIds = rules.model.categoryIds(*classes);
}

/// Reads TensorFlow Serving's forms too: base64 or pixels alone, or below the name of the model's
/// input.
ImageInput imageOfEntry(const json& entry, const RequestRules& rules) {
  if (entry.is_string())
    return {.content = decodedImage(entry.get_ref<const std::string&>(), "images")};
  if (entry.is_array()) return {.content = imageOfPixels(entry)};
  if (entry.is_object() && entry.size() == 1) {
    const auto member = entry.begin();
    if (member->is_object()) return imageOfEntry(*member, rules);
    for (const char* kind : {"b64", "file", "url"})
      if (member.key() == kind && member->is_string())
        return imageOfMember(kind, member->get<std::string>(), rules);
  }
  throw HttpError{400, R"(images: each must be {"b64": …}, {"file": …} or {"url": …} alone)"};
}

/// `form`: that of the body, if it names one.
void takeJson(const HttpRequest& request, const RequestRules& rules, DetectionRequest& asked,
              std::optional<AnswerForm>& form) {
  const json document = documentOf(request.body);
  const json* images = nullptr;
  for (const auto& [name, value] : document.items()) {
    if (name == "images" || name == "instances") {
      images = &value;
    } else if (name != "signature_name" && !value.is_null()) {  // TensorFlow Serving's
      requireSetting(name);
      if (name == "score") asked.scoreThreshold = scoreOf(value.dump());
      if (name == "classes") asked.categoryIds = categoryIdsOf(value, rules.model);
      if (name == "form")
        form = formNamed(value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  if (images == nullptr || !images->is_array())
    throw HttpError{400, R"(the body must have "images": [{"b64"|"file"|"url": …}, …])"};
  for (const json& entry : *images) addImage(asked, imageOfEntry(entry, rules), rules);
}

/// Media type of the body: guessed from its content if the header is missing, names only bytes, or
/// is curl's default.
std::string typeOf(const HttpRequest& request) {
  const std::string type = request.mediaType();
  if (!type.empty() && type != "application/octet-stream" &&
      type != "application/x-www-form-urlencoded")
    return type;
  const std::string_view body = withoutSpace(request.body);
  if (body.starts_with(kNpyMagic)) return "application/x-npy";
  return body.starts_with('{') ? "application/json" : "image/*";
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
  for (const auto& [name, value] : request.query) requireSetting(name);
  if (const auto named = settingOf(request, "form")) form = formNamed(*named);
  if (const auto score = settingOf(request, "score")) asked.scoreThreshold = scoreOf(*score);
  if (const auto classes = classesOf(request))
    asked.categoryIds = rules.model.categoryIds(*classes);
  const std::string type = typeOf(request);
  if (type == "multipart/form-data") {
    takeMultipart(request, rules, asked, form);
  } else if (type == "application/json") {
    takeJson(request, rules, asked, form);
  } else if (type == "application/x-npy") {
    eachImageOfNpy(request.body, [&](std::string image) {
      addImage(asked, {.content = std::move(image)}, rules);
    });
  } else if (type.starts_with("image/") || type == "application/x-image") {
    addImage(asked, {.content = request.body}, rules);
  } else {
    throw HttpError{415,
                    "Content-Type: " + base::shortened(type) +
                        " is not supported; send image/jpeg, image/png, image/webp, image/tiff, "
                        "image/bmp, application/octet-stream, application/x-npy, "
                        "multipart/form-data or application/json"};
  }
  asked.form = form ? *form : acceptedFormOf(request);
  const bool isPicture = asked.form == AnswerForm::Labels || asked.form == AnswerForm::Overlay;
  if (asked.images.empty()) throw HttpError{400, "the request has no image"};
  if (isPicture && asked.images.size() > 1)
    throw HttpError{406, "overlay is for one image: send one, or accept JSON"};
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
