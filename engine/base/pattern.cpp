#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/base/pattern.h"

#include <pcre2.h>

#include <array>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"

namespace lockstep::base {
namespace {

constexpr std::size_t kMaxPatternBytes = 10'000;
/// Some milliseconds; usual patterns take a few hundred tries.
constexpr std::uint32_t kMaxTries = 200'000;
constexpr std::uint32_t kMaxHeapKib = 16 << 10;

template <auto Free>
struct FreeWith {
  void operator()(auto* held) const { Free(held); }
};
using Code = std::unique_ptr<pcre2_code, FreeWith<pcre2_code_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, FreeWith<pcre2_compile_context_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, FreeWith<pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, FreeWith<pcre2_match_data_free>>;

PCRE2_SPTR bytesOf(const std::string& text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string reasonOf(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

/// PCRE2's default limit of nested groups stays: 250.
Code compile(const std::string& text) {
  constexpr std::uint32_t kAsEcmaScript =
      PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF;
  if (text.size() > kMaxPatternBytes)
    throw Error("it has over " + std::to_string(kMaxPatternBytes) + " characters");
  const CompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_ANYCRLF);
  int error = 0;
  PCRE2_SIZE at = 0;
  Code code(pcre2_compile(bytesOf(text), text.size(),
                          kAsEcmaScript | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C, &error, &at,
                          context.get()));
  if (!code) throw Error(reasonOf(error) + " (at character " + std::to_string(at) + ")");
  return code;
}

MatchContext limits() {
  MatchContext context(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(context.get(), kMaxTries);
  pcre2_set_heap_limit(context.get(), kMaxHeapKib);
  return context;
}

}  // namespace

struct Pattern::Compiled {
  std::string text;
  Code code;
  MatchContext limits;

  std::vector<std::string> match(const std::string& subject, std::uint32_t options) const {
    const MatchData data(pcre2_match_data_create_from_pattern(code.get(), nullptr));
    const int result = pcre2_match(code.get(), bytesOf(subject), subject.size(), 0, options,
                                   data.get(), limits.get());
    if (result == PCRE2_ERROR_NOMATCH) return {};
    if (result < 0)
      throw UserError("'" + shortened(text) + "' cannot be matched with '" + shortened(subject) +
                      "': " + reasonOf(result) + "; write it without nested repetitions");
    const PCRE2_SIZE* places = pcre2_get_ovector_pointer(data.get());
    std::vector<std::string> groups(pcre2_get_ovector_count(data.get()));
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (const PCRE2_SIZE begin = places[2 * i]; begin != PCRE2_UNSET)
        groups[i] = subject.substr(begin, places[2 * i + 1] - begin);
    return groups;
  }
};

Pattern::Pattern(const std::string& text)
    : compiled_(new Compiled{text, compile(text), limits()}) {}

std::vector<std::string> Pattern::groupsOf(const std::string& text) const {
  return compiled_->match(text, PCRE2_ANCHORED | PCRE2_ENDANCHORED);
}

std::vector<std::string> Pattern::find(const std::string& text) const {
  return compiled_->match(text, 0);
}

}  // namespace lockstep::base
