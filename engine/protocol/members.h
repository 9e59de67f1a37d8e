#pragma once

#include <concepts>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/base/open_enum.h"
#include "engine/base/shortened_text.h"
#include "engine/protocol/json_text.h"
#include "engine/protocol/messages.h"

/// Encodes structs as JSON objects and decodes them. Each struct lists its members once,
///     void describe(auto& members, Is<Welcome> auto& message) { members("run", message.run); … }
/// which is called with a MemberWriter or a MemberReader. Internal to engine/protocol,
/// engine/run_folder and engine/queue.
namespace lockstep::protocol {

template <typename T, typename Message>
concept Is = std::same_as<std::remove_const_t<T>, Message>;

using TaggedValues = std::vector<std::pair<std::string, float>>;

/// `type` of a line, and `kind` of a member that is a variant; specialised for each struct. Null:
/// the struct is used for several types.
template <typename Message>
inline constexpr const char* kTypeName = nullptr;
template <>
inline constexpr const char* kTypeName<std::monostate> = "none";

/// Calls `use` with a std::type_identity of each alternative of a variant.
template <typename Variant>
void forEachAlternative(const auto& use) {
  [&]<typename... Alternatives>(std::type_identity<std::variant<Alternatives...>>) {
    (use(std::type_identity<Alternatives>()), ...);
  }(std::type_identity<Variant>());
}

void describe(auto&, Is<std::monostate> auto&) {}

class MemberWriter {
 public:
  explicit MemberWriter(base::JsonWriter& json) : json_(json) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    json_.key(name);
    write(value);
  }
  /// Always written; a reader keeps the default if another version omitted it.
  template <typename T>
  void orDefault(const char* name, const T& value) {
    (*this)(name, value);
  }
  /// Omitted when empty.
  template <typename T>
  void ifNotEmpty(const char* name, const T& value) {
    if (!value.empty()) (*this)(name, value);
  }
  void ifNotEmpty(const char* name, bool value) {
    if (value) (*this)(name, value);
  }
  template <typename T>
  void ifNotEmpty(const char* name, const std::optional<T>& value) {
    if (value) (*this)(name, value);
  }
  template <typename Enum>
  void ifNotEmpty(const char* name, const base::OpenEnum<Enum>& value) {
    if (!value.isEmpty()) (*this)(name, value);
  }
  base::JsonWriter& json() { return json_; }

 private:
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      json_.value(value);
    } else if constexpr (base::HasTexts<T>) {
      json_.value(base::textOf(value));
    } else {
      json_.beginObject();
      describe(*this, value);
      json_.endObject();
    }
  }
  void write(const std::string& text) { json_.value(std::string_view(text)); }
  template <typename Enum>
  void write(const base::OpenEnum<Enum>& value) {
    write(value.text());
  }
  template <typename T>
  void write(const std::optional<T>& value) {
    value ? write(*value) : json_.null();
  }
  template <typename... Structs>
  void write(const std::variant<Structs...>& value) {
    json_.beginObject();
    std::visit(
        [this]<typename Struct>(const Struct& held) {
          (*this)("kind", std::string(kTypeName<Struct>));
          describe(*this, held);
        },
        value);
    json_.endObject();
  }
  template <typename T>
  void write(const std::vector<T>& values) {
    json_.beginArray();
    for (const T& value : values) write(value);
    json_.endArray();
  }
  void write(const TaggedValues& values) {
    json_.beginObject();
    for (const auto& [tag, value] : values) {
      json_.key(tag);
      json_.value(value);
    }
    json_.endObject();
  }

  base::JsonWriter& json_;
};

class MemberReader {
 public:
  /// `where` is the prefix of error messages, e.g. the message's type.
  MemberReader(const nlohmann::json& object, std::string where)
      : object_(object), where_(std::move(where)) {}
  MemberReader(std::shared_ptr<const nlohmann::json> object, std::string where)
      : owned_(std::move(object)), object_(*owned_), where_(std::move(where)) {}
  /// Reads the object in a text. Throws Error as parseObject() does.
  static MemberReader parse(std::string_view text, std::string where);

  /// Throws Error when the member is missing or has another type.
  template <typename T>
  void operator()(const char* name, T& value) const {
    const nlohmann::json* found = find(name);
    if (found == nullptr) throw Error(where_ + ": " + name + " is missing");
    read(*found, where_ + ": " + name, value);
  }
  /// A missing member keeps its default.
  template <typename T>
  void ifNotEmpty(const char* name, T& value) const {
    if (has(name)) (*this)(name, value);
  }
  template <typename T>
  void orDefault(const char* name, T& value) const {
    ifNotEmpty(name, value);
  }
  bool has(const char* name) const { return find(name) != nullptr; }
  /// nullptr: there is no such member.
  const nlohmann::json* find(const char* name) const;
  const nlohmann::json& object() const { return object_; }
  const std::string& where() const { return where_; }

 private:
  static bool isNull(const nlohmann::json& value);
  static void requireObject(const nlohmann::json& value, const std::string& name);
  /// Throws Error unless the value is a list.
  static std::size_t sizeOfList(const nlohmann::json& value, const std::string& name);
  static const nlohmann::json& elementOf(const nlohmann::json& list, std::size_t index);
  static void read(const nlohmann::json& value, const std::string& name, bool& flag);
  static void read(const nlohmann::json& value, const std::string& name, int& number);
  static void read(const nlohmann::json& value, const std::string& name, std::int64_t& number);
  static void read(const nlohmann::json& value, const std::string& name, double& number);
  static void read(const nlohmann::json& value, const std::string& name, std::string& text);
  static void read(const nlohmann::json& value, const std::string& name, TaggedValues& values);
  template <base::HasTexts Enum>
  static void read(const nlohmann::json& value, const std::string& name, Enum& held) {
    base::OpenEnum<Enum> text;
    read(value, name, text);
    if (!text.value()) throw Error(name + " '" + base::shortened(text.text()) + "' is not known");
    held = *text.value();
  }
  template <typename Enum>
  static void read(const nlohmann::json& value, const std::string& name,
                   base::OpenEnum<Enum>& held) {
    std::string text;
    read(value, name, text);
    held = base::OpenEnum<Enum>(text);
  }
  template <typename T>
  static void read(const nlohmann::json& value, const std::string& name, std::optional<T>& held) {
    if (isNull(value)) {
      held.reset();
    } else {
      read(value, name, held.emplace());
    }
  }
  template <typename T>
  static void read(const nlohmann::json& value, const std::string& name, std::vector<T>& held) {
    const std::size_t size = sizeOfList(value, name);
    held.clear();
    held.reserve(size);
    for (std::size_t i = 0; i < size; ++i) read(elementOf(value, i), name, held.emplace_back());
  }
  template <typename... Structs>
  static void read(const nlohmann::json& value, const std::string& name,
                   std::variant<Structs...>& held) {
    requireObject(value, name);
    const MemberReader members(value, name);
    std::string kind;
    members("kind", kind);
    bool isKnown = false;
    forEachAlternative<std::variant<Structs...>>([&]<typename Struct>(std::type_identity<Struct>) {
      if (kind != kTypeName<Struct>) return;
      describe(members, held.template emplace<Struct>());
      isKnown = true;
    });
    if (!isKnown) throw Error(name + ": kind '" + base::shortened(kind) + "' is not known");
  }
  template <typename T>
  requires std::is_class_v<T>
  static void read(const nlohmann::json& value, const std::string& name, T& described) {
    requireObject(value, name);
    MemberReader members(value, name);
    describe(members, described);
  }

  std::shared_ptr<const nlohmann::json> owned_;  ///< null: the caller has it
  const nlohmann::json& object_;
  std::string where_;
};

void describe(auto& members, Is<RunError> auto& error) {
  members("message", error.message);
  members("rank", error.rank);
  members("host", error.host);
  members("step", error.step);
  members("phase", error.phase);
  members("collective", error.collective);
  members("cause", error.cause);
  members.ifNotEmpty("checkpoint", error.checkpoint);
}

/// All members of a request except its id. Reading checks that exactly one source of images is
/// given and that the score threshold is in range.
void describeImages(MemberWriter& members, const PredictRequest& request);
void describeImages(const MemberReader& members, PredictRequest& request);

/// The same of the one image to explain.
void describeImage(MemberWriter& members, const ExplainRequest& request);
void describeImage(const MemberReader& members, ExplainRequest& request);

/// A request's id: a string or an integer on the wire.
void writeId(MemberWriter& members, const std::string& id);
std::string readId(const MemberReader& members);
/// Empty when the id is null.
std::string readIdOrNull(const MemberReader& members);
/// Empty when there is no valid id.
std::string idOf(const MemberReader& members);

// ---- lines

/// A parsed line: a JSON object of this protocol version with a type.
struct Envelope {
  MemberReader members;
  std::string type;
};
Envelope openEnvelope(std::string_view line);

/// Begins {"v":1,"type":…; the caller adds the members and the closing bracket.
void beginLine(base::JsonWriter& json, const char* type);

template <typename Message>
std::string encodeLine(const char* type, const Message& message) {
  std::string line;
  base::JsonWriter json(line);
  beginLine(json, type);
  MemberWriter members(json);
  describe(members, message);
  json.endObject();
  return line;
}

/// The line of a variant's current alternative.
std::string encodeHeld(const auto& variant) {
  return std::visit(
      []<typename Message>(const Message& held) { return encodeLine(kTypeName<Message>, held); },
      variant);
}

/// The alternative of `Variant` whose kTypeName is the envelope's type. Throws Error.
template <typename Variant>
Variant decodeAs(const Envelope& envelope) {
  std::optional<Variant> decoded;
  forEachAlternative<Variant>([&]<typename Message>(std::type_identity<Message>) {
    if constexpr (kTypeName<Message> != nullptr) {
      if (envelope.type != kTypeName<Message>) return;
      Message message;
      describe(envelope.members, message);
      decoded = std::move(message);
    }
  });
  if (!decoded) throw Error("type '" + base::shortened(envelope.type) + "' is not known here");
  return *std::move(decoded);
}

}  // namespace lockstep::protocol
