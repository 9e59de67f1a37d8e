#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/config/load.h"

namespace lockstep::widgets {

/// A value as the document itself gives it.
struct GivenValue {
  std::string text;  ///< as a form shows it: without quotes, lists in flow style
  int line = 0;      ///< from 1
};

/// A fault with its place in the text.
struct DocumentFault {
  bool isError = true;
  bool isHere = true;              ///< false: in a file this one inherits from
  int line = 0;                    ///< from 1, of the document; 0: of the whole document
  std::size_t begin = 0, end = 0;  ///< bytes of the document that are wrong; equal: not known
  bool isOfKey = false;            ///< the key is wrong, not its value
  std::string place;               ///< "12:5", "base.yaml:3:1", ""
  std::string key, text, proposal;
};

/// Bytes from the beginning of a key to the end of its value.
struct KeySpan {
  std::size_t begin = 0, end = 0;
  std::string key;
};

struct DocumentState {
  config::LoadedExperiment loaded;
  bool isReadable = true;                   ///< false: no YAML, so no keys and no values
  std::vector<KeySpan> keys;                ///< sections too; outer ones before inner ones
  std::map<std::string, GivenValue> given;  ///< by dotted key
  std::vector<DocumentFault> faults;        ///< in the order of the text; missing data are of it
};

/// Dotted key that a byte of the text belongs to, the innermost; "" where there is none.
std::string keyAt(const DocumentState& state, std::size_t place);

/// Loads the text as if it stood in `file` and finds the place of every value and fault. Reads the
/// files it inherits from: blocks; any thread; does not throw.
std::shared_ptr<const DocumentState> checkDocument(const std::string& text,
                                                   const std::string& file);

/// The text with the fault's proposal in place: the value replaced, the key renamed, or a key moved
/// to the section it belongs to. Throws Error when the text has changed so that it cannot be done.
std::string applyProposal(const std::string& text, const DocumentFault& fault);

}  // namespace lockstep::widgets
