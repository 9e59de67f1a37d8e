#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::coco {

/// The errors of one file: the texts of the first few, and the count of all.
class ErrorList {
 public:
  /// `name`: the file name for messages.
  explicit ErrorList(std::string name) : name_(std::move(name)) {}

  /// `where`: the entry ("annotation 7 (image 3)"); `what`: the error and how to fix it; `byte`:
  /// position of the entry in the file, from 1; 0: unknown.
  void add(const std::string& where, const std::string& what, std::size_t byte = 0);
  /// Throws Error with one line if there are errors: the error, or the count and the first few.
  void throwIfAny() const;

 private:
  std::string name_;
  std::vector<std::string> first_;
  std::size_t count_ = 0;
};

}  // namespace lockstep::coco
