#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/config/choices.h"
#include "engine/config/fields.h"

/// Helpers to write the field table: one row per key in fields_*.cpp.
namespace lockstep::config {

/// Allowed numbers of a field.
struct Range {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool minimumExcluded = false;
  bool maximumExcluded = false;
};
inline Range atLeast(double minimum) { return {.minimum = minimum}; }
inline Range above(double minimum) { return {.minimum = minimum, .minimumExcluded = true}; }
inline Range between(double minimum, double maximum) {
  return {.minimum = minimum, .maximum = maximum};
}

/// Getter and setter of one value of an experiment.
template <typename Value>
struct Access {
  std::function<Value(const Experiment&)> get;
  std::function<void(Experiment&, Value)> set;
};

struct FieldTable {
  std::vector<Field> fields;
  std::vector<std::pair<std::string, std::string>> sections;  ///< dotted name, help
};

// Each fills in the text() and assignNode() of a field whose value has that type.
void completeBool(Field& field, Access<bool> access);
void completeInteger(Field& field, Access<std::int64_t> access);
void completeIntegerOrAuto(Field& field, Access<std::optional<std::int64_t>> access);
void completeNumber(Field& field, Access<double> access);
void completeOptionalNumber(Field& field, Access<std::optional<double>> access);
void completeText(Field& field, Access<std::string> access);
void completeDuration(Field& field, Access<Duration> access);
void completeBytes(Field& field, Access<std::int64_t> access);
void completeIntegers(Field& field, Access<std::vector<std::int64_t>> access);
void completeNumbers(Field& field, Access<std::vector<double>> access);
void completeDurations(Field& field, Access<std::vector<Duration>> access);
void completeTexts(Field& field, Access<std::vector<std::string>> access);
void completeIntegersOrWord(Field& field, Access<ListOrWord<int>> access);
void completeNumbersOrWord(Field& field, Access<ListOrWord<double>> access);
void completeLevelsOrWord(Field& field, Access<ListOrWord<Level>> access);

/// ` word: meaning; word: meaning.` for the end of a help text; words without a meaning are left
/// out.
std::string meaningsText(const std::vector<std::pair<std::string, std::string>>& words);

/// Texts of an enum, or of an optional enum, where no value is `auto`.
template <typename Value>
struct Words {
  using Enum = Value;
  static constexpr bool hasAuto = false;
  static std::string text(Value value) { return base::textOf(value); }
  /// `word` must be one of them.
  static Value parse(const std::string& word) { return *base::parseEnum<Value>(word); }
};
template <typename Value>
struct Words<std::optional<Value>> {
  using Enum = Value;
  static constexpr bool hasAuto = true;
  static std::string text(std::optional<Value> value) { return textOrAuto(value); }
  static std::optional<Value> parse(const std::string& word) {
    return base::parseEnum<Value>(word);
  }
};

/// Adds the rows of one section. GetSection: generic lambda from Experiment&, const or not, to the
/// section's struct. A member is a pointer to member, or a generic lambda from the section to a
/// value.
template <typename GetSection>
class SectionRows {
 public:
  SectionRows(FieldTable& table, const std::string& name, const std::string& help,
              GetSection section)
      : table_(table), prefix_(name.empty() ? "" : name + "."), section_(section) {
    table.sections.emplace_back(name, help);
  }

  template <typename Member>
  Field& flag(const char* key, Member member, const char* help) {
    Field& field = add(key, FieldType::Bool, {}, "", help);
    completeBool(field, access<bool>(member));
    return field;
  }
  template <typename Member>
  Field& integer(const char* key, Member member, Range range, const char* unit, const char* help) {
    Field& field = add(key, FieldType::Integer, range, unit, help);
    if (std::is_same_v<Plain<Member>, int> && field.maximum > kMaxInt) field.maximum = kMaxInt;
    completeInteger(field, access<std::int64_t>(member));
    return field;
  }
  template <typename Member>
  Field& integerOrAuto(const char* key, Member member, Range range, const char* unit,
                       const char* help) {
    Field& field = add(key, FieldType::Integer, range, unit, help);
    field.choices = {"auto"};
    completeIntegerOrAuto(field, access<std::optional<std::int64_t>>(member));
    return field;
  }
  template <typename Member>
  Field& number(const char* key, Member member, Range range, const char* unit, const char* help) {
    Field& field = add(key, FieldType::Number, range, unit, help);
    completeNumber(field, access<double>(member));
    return field;
  }
  /// `null` means no number.
  template <typename Member>
  Field& optionalNumber(const char* key, Member member, Range range, const char* unit,
                        const char* help) {
    Field& field = add(key, FieldType::Number, range, unit, help);
    field.nullable = true;
    completeOptionalNumber(field, access<std::optional<double>>(member));
    return field;
  }
  template <typename Member>
  Field& text(const char* key, Member member, const char* help) {
    Field& field = add(key, FieldType::Text, {}, "", help);
    completeText(field, access<std::string>(member));
    return field;
  }
  /// `null` means not given.
  template <typename Member>
  Field& path(const char* key, Member member, const char* help) {
    Field& field = add(key, FieldType::Path, {}, "", help);
    field.nullable = true;
    completeText(field, access<std::string>(member));
    return field;
  }
  /// One of a list of texts.
  template <typename Member>
  Field& choice(const char* key, Member member, std::vector<std::string> choices,
                const char* help) {
    Field& field = add(key, FieldType::Choice, {}, "", help);
    field.choices = std::move(choices);
    completeText(field, access<std::string>(member));
    return field;
  }
  /// One of an enum's texts, or `auto` for an optional enum (listed first if it is the default).
  /// The meanings of the texts are appended to `help`.
  template <typename Member>
  Field& choice(const char* key, Member member, std::string help, const char* autoMeaning = "") {
    using Value = Words<Plain<Member>>;
    std::vector<std::pair<std::string, std::string>> words;
    for (const auto& row : base::kEnumTexts<typename Value::Enum>)
      words.emplace_back(row.text, row.meaning);
    const Experiment defaults;
    const bool autoIsDefault = Value::text(std::invoke(member, section_(defaults))) == kAuto;
    if (Value::hasAuto)
      words.insert(autoIsDefault ? words.begin() : words.end(), {kAuto, autoMeaning});
    Field& field = add(key, FieldType::Choice, {}, "", help + meaningsText(words));
    for (auto& [word, meaning] : words) field.choices.push_back(std::move(word));
    completeText(field, wordAccess(member));
    return field;
  }
  template <typename Member>
  Field& duration(const char* key, Member member, Range range, const char* help) {
    Field& field = add(key, FieldType::Duration, range, "steps", help);
    completeDuration(field, access<Duration>(member));
    return field;
  }
  template <typename Member>
  Field& bytes(const char* key, Member member, Range range, const char* help) {
    Field& field = add(key, FieldType::Bytes, range, "bytes", help);
    completeBytes(field, access<std::int64_t>(member));
    return field;
  }
  template <typename Member>
  Field& integers(const char* key, Member member, Range range, const char* unit, const char* help) {
    Field& field = add(key, FieldType::IntegerList, range, unit, help);
    if (field.maximum > kMaxInt) field.maximum = kMaxInt;
    completeIntegers(field, listAccess(member));
    return field;
  }
  template <typename Member>
  Field& numbers(const char* key, Member member, Range range, const char* unit, const char* help) {
    Field& field = add(key, FieldType::NumberList, range, unit, help);
    completeNumbers(field, access<std::vector<double>>(member));
    return field;
  }
  template <typename Member>
  Field& durations(const char* key, Member member, Range range, const char* help) {
    Field& field = add(key, FieldType::DurationList, range, "steps", help);
    completeDurations(field, access<std::vector<Duration>>(member));
    return field;
  }
  /// May be empty.
  template <typename Member>
  Field& texts(const char* key, Member member, const char* help) {
    Field& field = add(key, FieldType::TextList, {}, "", help);
    field.mayBeEmpty = true;
    completeTexts(field, access<std::vector<std::string>>(member));
    return field;
  }
  /// A list, or one of `words` in its place; with no words, `null`.
  template <typename Member>
  Field& listOrWord(const char* key, Member member, Range range, std::vector<std::string> words,
                    const char* help) {
    using Item = typename decltype(Plain<Member>::values)::value_type;
    constexpr FieldType type = std::is_same_v<Item, int>     ? FieldType::IntegerList
                               : std::is_same_v<Item, Level> ? FieldType::LevelList
                                                             : FieldType::NumberList;
    Field& field = add(key, type, range, "", help);
    field.nullable = words.empty();
    field.choices = std::move(words);
    if constexpr (type == FieldType::IntegerList) {
      completeIntegersOrWord(field, access<Plain<Member>>(member));
    } else if constexpr (type == FieldType::LevelList) {
      completeLevelsOrWord(field, access<Plain<Member>>(member));
    } else {
      completeNumbersOrWord(field, access<Plain<Member>>(member));
    }
    return field;
  }

 private:
  using Section = std::remove_reference_t<std::invoke_result_t<GetSection, Experiment&>>;
  template <typename Member>
  using Plain = std::remove_cvref_t<std::invoke_result_t<Member, Section&>>;
  static constexpr double kMaxInt = 2147483647;

  Field& add(const char* key, FieldType type, Range range, const char* unit, std::string help) {
    Field field;
    field.key = prefix_ + key;
    field.type = type;
    field.unit = unit;
    field.help = std::move(help);
    field.minimum = range.minimum;
    field.maximum = range.maximum;
    field.minimumExcluded = range.minimumExcluded;
    field.maximumExcluded = range.maximumExcluded;
    table_.fields.push_back(std::move(field));
    return table_.fields.back();
  }

  template <typename Value, typename Member>
  Access<Value> access(Member member) const {
    return {[section = section_, member](const Experiment& experiment) -> Value {
              return Value(std::invoke(member, section(experiment)));
            },
            [section = section_, member](Experiment& experiment, Value value) {
              std::invoke(member, section(experiment)) = Plain<Member>(std::move(value));
            }};
  }

  template <typename Member>
  Access<std::string> wordAccess(Member member) const {
    using Value = Words<Plain<Member>>;
    return {[section = section_, member](const Experiment& experiment) {
              return Value::text(std::invoke(member, section(experiment)));
            },
            [section = section_, member](Experiment& experiment, std::string word) {
              std::invoke(member, section(experiment)) = Value::parse(word);
            }};
  }

  template <typename Member>
  Access<std::vector<std::int64_t>> listAccess(Member member) const {
    return {[section = section_, member](const Experiment& experiment) {
              const auto& values = std::invoke(member, section(experiment));
              return std::vector<std::int64_t>(values.begin(), values.end());
            },
            [section = section_, member](Experiment& experiment, std::vector<std::int64_t> values) {
              std::invoke(member, section(experiment)).assign(values.begin(), values.end());
            }};
  }

  FieldTable& table_;
  std::string prefix_;
  GetSection section_;
};

void addDatasetFields(FieldTable& table);
void addModelFields(FieldTable& table);
void addSolverFields(FieldTable& table);
void addRunFields(FieldTable& table);

}  // namespace lockstep::config
