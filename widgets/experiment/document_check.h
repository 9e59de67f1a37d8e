#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/config/load.h"

namespace lockstep::widgets {

/// A value that the document itself sets.
struct GivenValue {
  std::string text;             ///< as the form shows it: without quotes, lists in flow style
  int line = 0;                 ///< from 1
  std::string inherited{};      ///< the value that applies without this line
  std::string inheritedFrom{};  ///< "base.yaml:3" of that value; empty: it is the default
  bool repeats = false;         ///< it is the same value
};

/// An error or warning with its position in the text.
struct DocumentIssue {
  bool isError = true;
  bool isHere = true;  ///< false: in a file that this one inherits from
  /// Of the document, from 1; of a key that is not set, that of its section or, if it is inherited,
  /// of `base`. 0: it concerns the whole document, or a default.
  int line = 0;
  std::size_t begin = 0, end = 0;  ///< byte range in the document; empty: not known
  bool isOfKey = false;            ///< the key is wrong, not its value
  bool isFound = false;    ///< by the engine in data or weights, which may have changed since
  std::string position{};  ///< "12:5", "base.yaml:3:1", ""
  std::string key{}, text{}, suggestion{};
};

/// Byte range from the start of a key to the end of its value.
struct KeySpan {
  std::size_t begin = 0, end = 0;
  std::string key;
};

struct DocumentState {
  config::LoadedExperiment loaded;
  bool isReadable = true;                   ///< false: not valid YAML, so no keys and no values
  bool isOtherYaml = false;                 ///< not readable: valid YAML, but no mapping of keys
  std::vector<KeySpan> keys;                ///< including sections; outer ones before inner ones
  std::map<std::string, GivenValue> given;  ///< by dotted key
  std::vector<DocumentIssue> issues;        ///< in the order of the text, then missing data
};

/// The innermost dotted key at a byte of the text; "" if there is none.
std::string keyAt(const DocumentState& state, std::size_t place);

/// "base.yaml:3", for one who edits the file `shown`; "../experiment.yaml:3" if it has the same
/// name.
std::string placeText(const config::Origin& origin, const std::string& shown);

/// Loads the text as if it were the content of `file` and finds the position of every value and
/// issue. Blocks, because it reads the files that the text inherits from. Call it from any thread;
/// it does not throw. `isDataPending`: images and annotations are not looked for.
std::shared_ptr<const DocumentState> checkDocument(const std::string& text, const std::string& file,
                                                   bool isDataPending = false);

/// The state of a text with what the engine said of it, instead of what it said before, as issues
/// at their keys and at the lines of these, or of their sections. Lines about no key are left out.
std::shared_ptr<const DocumentState> withFound(const DocumentState& state,
                                               const std::string& messages,
                                               const std::string& text);

/// The text with the issue's suggestion applied: the value replaced, the key renamed, or the key
/// moved to another section. Throws Error if the text has changed so that the key is not there.
std::string applySuggestion(const std::string& text, const DocumentIssue& issue);

}  // namespace lockstep::widgets
