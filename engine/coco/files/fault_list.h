#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::coco {

/// The faults of one file: the first few in words, all of them counted.
class FaultList {
 public:
  /// `name` stands for the file in the message.
  explicit FaultList(std::string name) : name_(std::move(name)) {}

  /// `where` names the entry ("annotation 7 (image 3)"), `what` the fault and how to mend it,
  /// `byte` where the entry begins in the file, from 1; 0: not known.
  void add(const std::string& where, const std::string& what, std::size_t byte = 0);
  /// Throws Error with one line: the fault, or the count and the first few.
  void throwIfAny() const;

 private:
  std::string name_;
  std::vector<std::string> first_;
  std::size_t count_ = 0;
};

}  // namespace lockstep::coco
