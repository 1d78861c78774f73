// SPDX-License-Identifier: Apache-2.0
//
// Writing and reading a tensor file. A reader trusts nothing: every offset lies in the stream and fits the
// shape, or the file is damaged.
#include "tensor/tensor_file.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <istream>
#include <ostream>

#include "batchscope/protocol/bytes.h"
#include "batchscope/protocol/error.h"

namespace batchscope::train {
namespace {

using protocol::Json;

constexpr char kTexts[] = "__metadata__";
constexpr std::uint64_t kLargestHeader = 100'000'000;  // the layout's own limit

struct TypeName {
  at::ScalarType type;
  const char* name;
};
constexpr TypeName kTypes[] = {{at::kBool, "BOOL"},  {at::kByte, "U8"},         {at::kChar, "I8"},
                               {at::kShort, "I16"},  {at::kInt, "I32"},         {at::kLong, "I64"},
                               {at::kHalf, "F16"},   {at::kBFloat16, "BF16"},   {at::kFloat, "F32"},
                               {at::kDouble, "F64"}, {at::kComplexFloat, "C64"}};

const char* type_name(at::ScalarType type) {
  for (const TypeName& known : kTypes)
    if (known.type == type) return known.name;
  return nullptr;
}

std::int64_t bytes_of(const at::Tensor& tensor) {
  return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

}  // namespace

void TensorWriter::add(const std::string& name, const at::Tensor& tensor) {
  if (!type_name(tensor.scalar_type()))
    throw Error(ErrorKind::usage,
                name + " cannot be checkpointed: its type is " + toString(tensor.scalar_type()));
  if (!tensors_.emplace(name, tensor.detach()).second)
    throw Error(ErrorKind::usage, "two tensors to checkpoint are called " + name);
}

void TensorWriter::add_numbers(const std::string& name, const std::vector<double>& numbers) {
  add(name, at::tensor(numbers, at::kDouble));
}

void TensorWriter::copy() {
  for (auto& [name, tensor] : tensors_) tensor = tensor.clone();
}

void TensorWriter::write(std::ostream& out) const {
  Json header = Json::object();
  if (!texts_.empty()) header[kTexts] = texts_;
  std::int64_t at = 0;
  for (const auto& [name, tensor] : tensors_) {
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {at, at + bytes_of(tensor)}}};
    at += bytes_of(tensor);
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  protocol::put<std::uint64_t>(length, text.size());
  out << length << text;
  for (const auto& [name, tensor] : tensors_) {
    const at::Tensor plain = tensor.cpu().contiguous();
    out.write(static_cast<const char*>(plain.data_ptr()), bytes_of(plain));
  }
}

TensorReader::TensorReader(std::istream& in, std::string what) : in_(in), what_(std::move(what)) {
  in.seekg(0, std::ios::end);
  const std::int64_t size = in.tellg();
  in.seekg(0);
  std::string prefix(sizeof(std::uint64_t), '\0');
  in.read(prefix.data(), std::ssize(prefix));
  const auto length = protocol::get<std::uint64_t>(prefix, 0);
  if (!in || length > kLargestHeader || static_cast<std::int64_t>(length) > size - 8)
    damaged("it has no header");
  std::string text(length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(length));
  const std::int64_t base = 8 + static_cast<std::int64_t>(length);
  try {
    parse(Json::parse(text), base, size);
  } catch (const Json::exception& error) {
    damaged(protocol::fault_text(error));
  }
}

void TensorReader::parse(const protocol::Json& header, std::int64_t base, std::int64_t size) {
  for (const auto& [name, fields] : header.items()) {
    if (name == kTexts) {
      fields.get_to(texts_);
      continue;
    }
    const auto* const type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& known) {
      return fields.at("dtype") == known.name;
    });
    if (type == std::end(kTypes)) damaged("the type of " + name + " is unknown");
    Entry entry{type->type, fields.at("shape"), 0, 0};
    std::tie(entry.from, entry.to) = fields.at("data_offsets").get<std::pair<std::int64_t, std::int64_t>>();
    std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(entry.type));
    for (const std::int64_t extent : entry.sizes)
      if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) damaged(name + " has no shape");
    if (entry.from < 0 || entry.to > size - base || entry.to - entry.from != bytes)
      damaged(name + " lies outside of it");
    entry.from += base;
    entry.to += base;
    entries_.emplace(name, std::move(entry));
  }
}

std::size_t TensorReader::count(const std::string& prefix) const {
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(), [&](const auto& item) { return item.first.starts_with(prefix); }));
}

at::Tensor TensorReader::tensor(const std::string& name) {
  const Entry& found = entry(name);
  const at::Tensor tensor = at::empty(found.sizes, found.type);
  fetch(found, tensor);
  return tensor;
}

void TensorReader::read(const std::string& name, at::Tensor destination) {
  const Entry& found = entry(name);
  if (destination.device().is_cpu() && destination.is_contiguous() &&
      destination.scalar_type() == found.type && destination.sizes() == found.sizes)
    fetch(found, destination);
  else
    destination.copy_(tensor(name));
}

std::vector<double> TensorReader::numbers(const std::string& name) {
  const at::Tensor tensor = this->tensor(name).to(at::kDouble);
  return {tensor.data_ptr<double>(), tensor.data_ptr<double>() + tensor.numel()};
}

double TensorReader::number(const std::string& name) {
  const std::vector<double> numbers = this->numbers(name);
  if (numbers.size() != 1) damaged(name + " is not a number");
  return numbers.front();
}

const std::string& TensorReader::text(const std::string& name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) damaged("it has no " + name);
  return found->second;
}

const TensorReader::Entry& TensorReader::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) damaged("it has no " + name);
  return found->second;
}

void TensorReader::fetch(const Entry& entry, const at::Tensor& tensor) {
  in_.clear();
  in_.seekg(entry.from);
  in_.read(static_cast<char*>(tensor.data_ptr()), entry.to - entry.from);
  if (!in_) damaged("it ends early");
}

void TensorReader::damaged(const std::string& why) const {
  throw Error(ErrorKind::corrupt, what_ + " cannot be read: " + why);
}

}  // namespace batchscope::train
