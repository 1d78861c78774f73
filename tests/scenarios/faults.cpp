// SPDX-License-Identifier: Apache-2.0
//
// Faults of the file system and of the clock, for programs that are started with this library in LD_PRELOAD:
// tests run as root, whom no permission stops, and where no disk may be filled or mounted. The file that
// BATCHSCOPE_FAULTS names says what is wrong now, one fault a line; an empty one says that nothing is:
//
//   ENOSPC /path      nothing that begins with /path can be made or grow (EDQUOT, EFBIG, EIO the same), and
//                     there is no room left
//   EROFS /path       nothing that begins with /path can be changed at all
//   BADREAD /path     what begins with /path can be opened, but reading it fails with EIO
//   SLOW /path        each fsync of what begins with /path takes a second
//   CLOCK -3600       the wall clock is an hour slow
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

struct Fault {
  std::string_view name;
  int error;
};
constexpr std::array<Fault, 5> kFaults = {
    {{"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EFBIG", EFBIG}, {"EIO", EIO}, {"EROFS", EROFS}}};

// Returns the faults that are set now. By system calls alone, because what this would call otherwise is what
// it stands for.
std::string read_faults() {
  static const char* const path = getenv("BATCHSCOPE_FAULTS");
  std::string text;
  const long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
  if (fd < 0) return text;
  char block[4096];
  for (long n; (n = syscall(SYS_read, fd, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(n));
  syscall(SYS_close, fd);
  return text;
}

// what(word, rest) of each line, until it answers other than 0.
template <class What>
long look_up(What what) {
  const int before = errno;
  const std::string text = read_faults();
  long found = 0;
  for (std::string_view left = text; !left.empty() && found == 0;) {
    const auto end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    const auto space = std::min(line.find(' '), line.size());
    if (space < line.size()) found = what(line.substr(0, space), line.substr(space + 1));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  errno = before;
  return found;
}

enum class Change { growth, any };

int error_of(std::string_view path, Change change) {
  return static_cast<int>(look_up([&](std::string_view word, std::string_view prefix) -> long {
    for (const Fault& fault : kFaults)
      if (word == fault.name && path.starts_with(prefix) &&
          (change == Change::growth || fault.error == EROFS))
        return fault.error;
    return 0;
  }));
}

std::string link_target(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

std::string path_of(int fd) { return link_target("/proc/self/fd/" + std::to_string(fd)); }

std::string path_of(int directory, const char* name) {
  if (*name == '/') return name;
  return (directory == AT_FDCWD ? link_target("/proc/self/cwd") : path_of(directory)) + "/" + name;
}

// True, with errno, where the call must fail.
bool fails(const std::string& path, Change change) {
  const int error = error_of(path, change);
  if (error != 0) errno = error;
  return error != 0;
}

bool fails_to_open(const std::string& path, int flags) {
  struct stat info {};
  const bool makes = (flags & O_CREAT) && stat(path.c_str(), &info) != 0;
  return (makes || (flags & O_ACCMODE) != O_RDONLY) && fails(path, makes ? Change::growth : Change::any);
}

bool suffers(const char* fault, std::string_view path) {
  return look_up([&](std::string_view word, std::string_view prefix) -> long {
    return word == fault && path.starts_with(prefix);
  });
}

// True, with errno, where reading must fail.
bool fails_to_read(int fd) {
  const bool bad = suffers("BADREAD", path_of(fd));
  if (bad) errno = EIO;
  return bad;
}

double clock_offset() {
  return static_cast<double>(look_up([](std::string_view word, std::string_view seconds) {
    return word == "CLOCK" ? atol(std::string(seconds).c_str()) : 0L;
  }));
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define NEXT(name) static auto* const original = next<decltype(name)>(#name)

extern "C" {

ssize_t read(int fd, void* bytes, size_t count) {
  NEXT(read);
  return fails_to_read(fd) ? -1 : original(fd, bytes, count);
}
ssize_t readv(int fd, const iovec* parts, int count) {
  NEXT(readv);
  return fails_to_read(fd) ? -1 : original(fd, parts, count);
}
ssize_t pread(int fd, void* bytes, size_t count, off_t at) {
  NEXT(pread);
  return fails_to_read(fd) ? -1 : original(fd, bytes, count, at);
}
ssize_t pread64(int fd, void* bytes, size_t count, off64_t at) {
  NEXT(pread64);
  return fails_to_read(fd) ? -1 : original(fd, bytes, count, at);
}
ssize_t write(int fd, const void* bytes, size_t count) {
  NEXT(write);
  return fails(path_of(fd), Change::growth) ? -1 : original(fd, bytes, count);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  NEXT(writev);
  return fails(path_of(fd), Change::growth) ? -1 : original(fd, parts, count);
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  NEXT(pwrite);
  return fails(path_of(fd), Change::growth) ? -1 : original(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  NEXT(pwrite64);
  return fails(path_of(fd), Change::growth) ? -1 : original(fd, bytes, count, at);
}
ssize_t sendfile(int to, int from, off_t* at, size_t count) {
  NEXT(sendfile);
  return fails(path_of(to), Change::growth) ? -1 : original(to, from, at, count);
}
ssize_t copy_file_range(int from, off64_t* at, int to, off64_t* put, size_t count, unsigned flags) {
  NEXT(copy_file_range);
  return fails(path_of(to), Change::growth) ? -1 : original(from, at, to, put, count, flags);
}
int statvfs(const char* __restrict name, struct statvfs* __restrict info) {
  NEXT(statvfs);
  const int result = original(name, info);
  if (result == 0 && error_of(path_of(AT_FDCWD, name), Change::growth) == ENOSPC)
    info->f_bfree = info->f_bavail = 0;
  return result;
}
int fsync(int fd) {
  NEXT(fsync);
  if (suffers("SLOW", path_of(fd))) sleep(1);
  return fails(path_of(fd), Change::growth) && errno == EIO ? -1 : original(fd);
}
int open(const char* name, int flags, ...) {
  NEXT(open);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);  // nonsense where none was given, and then nobody looks at it
  va_end(rest);
  return fails_to_open(path_of(AT_FDCWD, name), flags) ? -1 : original(name, flags, mode);
}
int open64(const char* name, int flags, ...) {
  NEXT(open64);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails_to_open(path_of(AT_FDCWD, name), flags) ? -1 : original(name, flags, mode);
}
FILE* fopen(const char* name, const char* mode) {
  NEXT(fopen);
  const int flags = *mode == 'r' && !strchr(mode, '+') ? O_RDONLY : *mode == 'r' ? O_RDWR : O_RDWR | O_CREAT;
  return fails_to_open(path_of(AT_FDCWD, name), flags) ? nullptr : original(name, mode);
}
FILE* fopen64(const char* name, const char* mode) { return fopen(name, mode); }
int mkdir(const char* name, mode_t mode) {
  NEXT(mkdir);
  struct stat info {};
  if (stat(name, &info) == 0) return original(name, mode);  // EEXIST, full disk or not
  return fails(path_of(AT_FDCWD, name), Change::growth) ? -1 : original(name, mode);
}
int symlink(const char* target, const char* name) {
  NEXT(symlink);  // a short one lies in its inode: it may have room where nothing else has
  return fails(path_of(AT_FDCWD, name), Change::any) ? -1 : original(target, name);
}
int rename(const char* from, const char* to) {
  NEXT(rename);
  return fails(path_of(AT_FDCWD, to), Change::any) ? -1 : original(from, to);
}
int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  NEXT(renameat2);
  return fails(path_of(to_directory, to), Change::any)
             ? -1
             : original(from_directory, from, to_directory, to, flags);
}
int unlink(const char* name) {
  NEXT(unlink);
  return fails(path_of(AT_FDCWD, name), Change::any) ? -1 : original(name);
}
int unlinkat(int directory, const char* name, int flags) {
  NEXT(unlinkat);
  return fails(path_of(directory, name), Change::any) ? -1 : original(directory, name, flags);
}
int remove(const char* name) {
  NEXT(remove);
  return fails(path_of(AT_FDCWD, name), Change::any) ? -1 : original(name);
}
int rmdir(const char* name) {
  NEXT(rmdir);
  return fails(path_of(AT_FDCWD, name), Change::any) ? -1 : original(name);
}

int clock_gettime(clockid_t clock, timespec* time) {
  NEXT(clock_gettime);
  const int result = original(clock, time);
  if (clock == CLOCK_REALTIME && result == 0) time->tv_sec += static_cast<time_t>(clock_offset());
  return result;
}
int gettimeofday(timeval* __restrict now, void* __restrict zone) {
  NEXT(gettimeofday);
  const int result = original(now, zone);
  if (result == 0) now->tv_sec += static_cast<time_t>(clock_offset());
  return result;
}
time_t time(time_t* out) {
  NEXT(time);
  const time_t now = original(nullptr) + static_cast<time_t>(clock_offset());
  if (out) *out = now;
  return now;
}

}  // extern "C"
