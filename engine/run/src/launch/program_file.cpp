// SPDX-License-Identifier: Apache-2.0
//
// Reading a program's ELF notes, without trusting one of their lengths.
#include "launch/program_file.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "batchscope/protocol/fork_server.h"

namespace batchscope::run {
namespace {

constexpr std::size_t kMostNotes = 1 << 16;  // bytes

template <typename Header>
bool read_at(std::ifstream& in, std::uint64_t offset, Header& header) {
  return in.seekg(static_cast<std::streamoff>(offset)) &&
         in.read(reinterpret_cast<char*>(&header), sizeof header);
}

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

bool holds_our_note(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t size = padded(note.n_namesz) + padded(note.n_descsz);
    if (size > notes.size()) return false;
    // A name is kept with the zero at its end.
    if (note.n_type == protocol::kForkNoteType && note.n_namesz == protocol::kForkNoteName.size() + 1 &&
        notes.starts_with(protocol::kForkNoteName))
      return true;
    notes.remove_prefix(size);
  }
  return false;
}

}  // namespace

bool knows_fork_server(const std::filesystem::path& program) {
  constexpr int kOurClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr int kOurOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  std::ifstream in(program, std::ios::binary);
  ElfW(Ehdr) file;
  if (!read_at(in, 0, file) || std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
      file.e_ident[EI_CLASS] != kOurClass || file.e_ident[EI_DATA] != kOurOrder)
    return false;
  for (std::size_t i = 0; i < file.e_phnum; ++i) {
    ElfW(Phdr) segment;
    if (!read_at(in, file.e_phoff + i * file.e_phentsize, segment)) return false;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!in.seekg(static_cast<std::streamoff>(segment.p_offset)) ||
        !in.read(notes.data(), static_cast<std::streamsize>(notes.size())))
      return false;
    if (holds_our_note(notes)) return true;
  }
  return false;
}

bool is_python(const std::filesystem::path& program) {
  return program.extension() == ".py" || program.filename().string().starts_with("python");
}

FileIdentity identify(const std::filesystem::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace batchscope::run
