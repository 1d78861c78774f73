// SPDX-License-Identifier: Apache-2.0
//
// Tensors, numbers and texts under names, in one stream that is laid out as safetensors files are
// (github.com/huggingface/safetensors), so that other programs can open it: the length of a header as eight
// little-endian bytes; the header, a JSON object with "dtype", "shape" and "data_offsets" [from, to) of each
// tensor, and with texts under "__metadata__"; the tensors' bytes, without gaps. LibTorch's own archives are
// not used because they hold their structure as code: the first one that a process loads starts the
// TorchScript compiler, which takes longer than all else in a restart.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/json.h"

namespace batchscope::train {

class TensorWriter {
 public:
  // Add without copying. Throw Error(usage) for a name that is there already, and for a type that the layout
  // does not know.
  void add(const std::string& name, const at::Tensor& tensor);
  void add_numbers(const std::string& name, const std::vector<double>& numbers);
  void add_text(const std::string& name, const std::string& text) { texts_[name] = text; }

  // Copies all tensors, so that they stay as they are while training goes on.
  void copy();
  void write(std::ostream& out) const;

 private:
  std::map<std::string, at::Tensor> tensors_;
  std::map<std::string, std::string> texts_;
};

class TensorReader {
 public:
  // Reads the header of a stream that can be rewound and outlives this. `what` is its name in messages.
  // Throws Error(corrupt).
  TensorReader(std::istream& in, std::string what);

  bool has(const std::string& name) const { return entries_.contains(name); }
  // How many have a name that begins so.
  std::size_t count(const std::string& prefix) const;

  // Throw Error(corrupt) where there is none of that name.
  const std::vector<std::int64_t>& sizes(const std::string& name) const { return entry(name).sizes; }
  at::Tensor tensor(const std::string& name);                  // on the CPU
  void read(const std::string& name, at::Tensor destination);  // of these sizes
  std::vector<double> numbers(const std::string& name);
  double number(const std::string& name);  // the only one
  const std::string& text(const std::string& name) const;

 private:
  struct Entry {
    at::ScalarType type;
    std::vector<std::int64_t> sizes;
    std::int64_t from, to;  // in the stream
  };
  // The tensors lie in [base, size) of the stream.
  void parse(const protocol::Json& header, std::int64_t base, std::int64_t size);
  const Entry& entry(const std::string& name) const;
  void fetch(const Entry& entry, const at::Tensor& tensor);
  [[noreturn]] void damaged(const std::string& why) const;

  std::istream& in_;
  const std::string what_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> texts_;
};

}  // namespace batchscope::train
