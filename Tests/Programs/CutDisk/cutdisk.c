// Simulates a disk for a program that loads it by LD_PRELOAD. It logs the program's calls on files
// of a directory, and fails on request. The log has each write and each sync, so a test can compute
// the disk's contents after a power failure at any moment.
//
//   CUTDISK_ROOT  the directory; calls on other files are passed on unchanged
//   CUTDISK_LOG   the file of the log (format below); without it there is no log
//   CUTDISK_FAIL  while a file of this name exists, syncs fail with EIO; the data written to the
//                 file since its last sync is then only in the cache, and clean, as on Linux: no
//                 later sync writes it
//   CUTDISK_HANG  while a file of this name exists, syncs do not return
//   CUTDISK_SLOW  the additional duration of a sync in microseconds: it exposes code that does not
//                 wait for a sync
//   CUTDISK_FULL  while a file of this name exists, writes fail with ENOSPC
//   CUTDISK_QUOTA the same with EDQUOT
//   CUTDISK_TIGHT the same as CUTDISK_FULL, as long as the directory has a file "reserve"
//   CUTDISK_LINKLESS if set, links fail with EPERM
//   CUTDISK_REFUSE a call, the end of a path and the number of an error, with spaces between: the
//                 first call of that kind for such a path fails with it (open, opendir, readdir,
//                 stat, read, pread, write, pwrite, fsync, fdatasync, ftruncate, fallocate, link, rename,
//                 unlink, mkdir, flock); * is everything in the directory but the lock; a negative number
//                 is a signal that ends the program there. Two more numbers may follow: the index
//                 of the first failing call, and the count of failing calls; 0 for all later calls.
//                 A write that fails or is killed writes its first half, up to the end of a sector
//                 or of a page, unless its error precedes all writing; a sync that fails is as with
//                 CUTDISK_FAIL
//   CUTDISK_ARMED CUTDISK_REFUSE fails and counts calls only while a file of this name exists
//   CUTDISK_REFUSALS a file that lists the calls that failed because of CUTDISK_REFUSE
//   CUTDISK_CACHED if set, each write to a file opened with O_DIRECT fails with EINVAL
//
// An entry of the log: kind (1 byte), number of the file (4), offset or length (8), the count of
// the bytes that follow (4), these bytes. Numbers are little-endian. Kinds: N a path names a file
// from now on, W written at an offset, T truncated to a length, S synced, R renamed (two paths, a
// zero byte between), U unlinked, F a sync of a file failed, D the entries of a directory synced,
// M a mark of the program: a write to a file called "marks". The lock file is not logged, since it
// is no part of a history; its room is allocated already.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { FILES = 4096, PLAIN = 0, DIRECTORY = -1, MARKS = -2 };
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
// The kind of each descriptor: the number of a file, or one of the constants above.
static int32_t file_of[FILES];
static int is_direct[FILES];
static char *path_of[FILES];
static struct { dev_t device; ino_t inode; } known[FILES];
static int32_t known_count;
static int log_descriptor = -1;
static useconds_t slowness;
static const char *root, *fail_flag, *hang_flag, *full_flag, *quota_flag, *tight_flag;
static const char *armed_flag;
// The refused call: its name, the end of its path, the error, the first failing call and the count.
static char refused_call[16], refused_end[256];
static int refused_error, refused_first = 1, refused_times = 1, refused_calls;
static DIR *refused_listing;

#define REAL(result, name, ...)                                       \
  static result (*real_##name)(__VA_ARGS__);                          \
  if (!real_##name) real_##name = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  REAL(int, open64, const char *, int, ...);
  root = getenv("CUTDISK_ROOT");
  fail_flag = getenv("CUTDISK_FAIL");
  hang_flag = getenv("CUTDISK_HANG");
  full_flag = getenv("CUTDISK_FULL");
  quota_flag = getenv("CUTDISK_QUOTA");
  tight_flag = getenv("CUTDISK_TIGHT");
  armed_flag = getenv("CUTDISK_ARMED");
  const char *refusal = getenv("CUTDISK_REFUSE");
  if (refusal
      && sscanf(refusal, "%15s %255s %d %d %d", refused_call, refused_end, &refused_error,
                &refused_first, &refused_times) < 3) abort();
  slowness = getenv("CUTDISK_SLOW") ? atoi(getenv("CUTDISK_SLOW")) : 0;
  const char *path = getenv("CUTDISK_LOG");
  if (path) log_descriptor = real_open64(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}
static int is_set(const char *flag) { return flag && access(flag, F_OK) == 0; }

static void put(const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  while (count > 0) {
    ssize_t done = real_write(log_descriptor, bytes, count);
    if (done <= 0) abort();
    bytes = (const char *)bytes + done;
    count -= done;
  }
}
static void note(char kind, int32_t file, uint64_t place, const void *bytes, uint32_t count) {
  if (log_descriptor < 0) return;
  put(&kind, 1);
  put(&file, 4);
  put(&place, 8);
  put(&count, 4);
  put(bytes, count);
}
static int is_ours(const char *path) {
  if (!root || !path || strncmp(path, root, strlen(root)) != 0) return 0;
  size_t length = strlen(path);
  return length < 5 || strcmp(path + length - 5, "/lock") != 0;
}
// These calls of this file are never refused.
static int look(int descriptor, struct stat *status) {
  REAL(int, fstat, int, struct stat *);
  return real_fstat(descriptor, status);
}
static int look_at(const char *path, struct stat *status) {
  REAL(int, stat, const char *, struct stat *);
  return real_stat(path, status);
}
static int32_t number_of(int descriptor, int *is_new) {
  struct stat status;
  if (look(descriptor, &status) != 0) abort();
  for (int32_t i = known_count - 1; i >= 0; i--) {
    if (known[i].device == status.st_dev && known[i].inode == status.st_ino) return i + 1;
  }
  if (known_count == FILES) abort();
  known[known_count].device = status.st_dev;
  known[known_count].inode = status.st_ino;
  *is_new = 1;
  return ++known_count;
}
// The inode number of a deleted file may be reused for another file.
static void forget(const struct stat *gone) {
  for (int32_t i = 0; i < known_count; i++) {
    if (known[i].device == gone->st_dev && known[i].inode == gone->st_ino) known[i].inode = 0;
  }
}
static void opened(int descriptor, const char *path, int flags) {
  if (descriptor < 0 || descriptor >= FILES) return;
  file_of[descriptor] = PLAIN;
  is_direct[descriptor] = (flags & O_DIRECT) != 0;
  if (!is_ours(path)) return;
  const char *name = strrchr(path, '/');
  struct stat status;
  if (look(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    file_of[descriptor] = DIRECTORY;
    free(path_of[descriptor]);
    path_of[descriptor] = strdup(path);
  } else if (name && strcmp(name, "/marks") == 0) {
    file_of[descriptor] = MARKS;
  } else {
    int is_new = 0;
    file_of[descriptor] = number_of(descriptor, &is_new);
    if (is_new) note('N', file_of[descriptor], 0, path, strlen(path));
    if (flags & O_TRUNC) note('T', file_of[descriptor], 0, "", 0);
  }
}
static int32_t file(int descriptor) {
  return descriptor >= 0 && descriptor < FILES ? file_of[descriptor] : PLAIN;
}

// Whether CUTDISK_REFUSE names a call and a path.
static int is_meant(const char *call, const char *path) {
  if (!refused_error || !path || strcmp(call, refused_call) != 0) return 0;
  if (strcmp(refused_end, "*") == 0) return is_ours(path);
  size_t length = strlen(path), end = strlen(refused_end);
  return length >= end && strcmp(path + length - end, refused_end) == 0;
}
static void tell_refusal(const char *path) {
  const char *notes = getenv("CUTDISK_REFUSALS");
  if (!notes) return;
  REAL(int, open64, const char *, int, ...);
  int descriptor = real_open64(notes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0 || dprintf(descriptor, "%s %s\n", refused_call, path) < 0) abort();
  close(descriptor);
}
// Whether a named call is one of the failing calls. It preserves errno.
static int strikes(const char *path) {
  int error = errno, fails = 0;
  pthread_mutex_lock(&lock);
  if (!armed_flag || is_set(armed_flag)) {
    refused_calls++;
    fails = refused_calls >= refused_first
            && (refused_times == 0 || refused_calls < refused_first + refused_times);
  }
  if (fails) tell_refusal(path);
  pthread_mutex_unlock(&lock);
  errno = error;
  return fails;
}
static int refuses(const char *call, const char *path) {
  return is_meant(call, path) && strikes(path);
}
static int refuses_file(const char *call, int descriptor) {
  if (!refused_error || strcmp(call, refused_call) != 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int error = errno;
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = error;
  path[length > 0 ? length : 0] = 0;
  if (strcmp(refused_end, "*") != 0) return refuses(call, path);
  return file(descriptor) != PLAIN && file(descriptor) != MARKS && strikes(path);
}
// Fails a refused call with its error, or ends the program by its signal.
static int failed(void) {
  if (refused_error < 0) kill(getpid(), -refused_error);
  errno = refused_error;
  return -1;
}
// The bytes that a failing write has written: a write that fails in the middle leaves whole
// sectors, a write that is killed leaves whole pages.
static size_t done_part(off64_t offset, size_t count) {
  switch (refused_error) {
    case EINTR: case EAGAIN: case EROFS: case EBADF: return 0;
  }
  off64_t unit = refused_error < 0 ? 4096 : 512;
  off64_t end = (offset + (off64_t)(count / 2)) / unit * unit;
  return end > offset ? end - offset : 0;
}

int flock(int descriptor, int operation) {
  REAL(int, flock, int, int);
  return refuses_file("flock", descriptor) ? failed() : real_flock(descriptor, operation);
}
int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t);
  return refuses("mkdir", path) ? failed() : real_mkdir(path, mode);
}
DIR *opendir(const char *path) {
  REAL(DIR *, opendir, const char *);
  if (refuses("opendir", path)) return failed(), NULL;
  DIR *listing = real_opendir(path);
  if (listing && is_meant("readdir", path)) refused_listing = listing;
  return listing;
}
#define READDIR(name, type)                                           \
  struct type *name(DIR *listing) {                                   \
    REAL(struct type *, name, DIR *);                                 \
    if (listing == refused_listing && strikes("a listing")) return failed(), NULL; \
    return real_##name(listing);                                      \
  }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)
int closedir(DIR *listing) {
  REAL(int, closedir, DIR *);
  if (listing == refused_listing) refused_listing = NULL;
  return real_closedir(listing);
}
#define STAT(name, type)                                              \
  int name(const char *path, struct type *status) {                   \
    REAL(int, name, const char *, struct type *);                     \
    return refuses("stat", path) ? failed() : real_##name(path, status); \
  }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)
#define FSTAT(name, type)                                             \
  int name(int descriptor, struct type *status) {                     \
    REAL(int, name, int, struct type *);                              \
    return refuses_file("stat", descriptor) ? failed() : real_##name(descriptor, status); \
  }
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)
ssize_t read(int descriptor, void *bytes, size_t count) {
  REAL(ssize_t, read, int, void *, size_t);
  return refuses_file("read", descriptor) ? failed() : real_read(descriptor, bytes, count);
}
#define PREAD(name, type)                                             \
  ssize_t name(int descriptor, void *bytes, size_t count, type offset) { \
    REAL(ssize_t, name, int, void *, size_t, type);                   \
    if (refuses_file("pread", descriptor)) return failed();           \
    return real_##name(descriptor, bytes, count, offset);             \
  }
PREAD(pread, off_t)
PREAD(pread64, off64_t)


#define OPEN(name)                                                    \
  int name(const char *path, int flags, ...) {                        \
    REAL(int, name, const char *, int, ...);                          \
    mode_t mode = 0;                                                  \
    if (flags & (O_CREAT | O_TMPFILE)) {                              \
      va_list rest;                                                   \
      va_start(rest, flags);                                          \
      mode = va_arg(rest, mode_t);                                    \
      va_end(rest);                                                   \
    }                                                                 \
    if (refuses("open", path)) return failed();                       \
    pthread_mutex_lock(&lock);                                        \
    int descriptor = real_##name(path, flags, mode);                  \
    int error = errno;                                                \
    opened(descriptor, path, flags);                                  \
    errno = error;                                                    \
    pthread_mutex_unlock(&lock);                                      \
    return descriptor;                                                \
  }
OPEN(open)
OPEN(open64)

// The error of a refused write; 0 for a permitted one.
static int refusal(int descriptor) {
  if (file(descriptor) == PLAIN) return 0;
  if (is_direct[descriptor] && getenv("CUTDISK_CACHED")) return EINVAL;
  if (is_set(quota_flag)) return EDQUOT;
  char reserve[4096];
  snprintf(reserve, sizeof reserve, "%s/reserve", root);
  if (!is_set(full_flag) && !(is_set(tight_flag) && is_set(reserve))) return 0;
  return ENOSPC;
}
static int is_refused(int descriptor) {
  int reason = refusal(descriptor);
  if (reason) errno = reason;
  return reason != 0;
}
static void wrote(int descriptor, off64_t offset, const void *bytes, ssize_t count) {
  int32_t number = file(descriptor);
  if (count <= 0) return;
  if (number == MARKS) note('M', 0, 0, bytes, count);
  if (number > 0) note('W', number, offset, bytes, count);
}
ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  if (file(descriptor) == PLAIN) return real_write(descriptor, bytes, count);
  pthread_mutex_lock(&lock);
  off64_t offset = lseek64(descriptor, 0, SEEK_CUR);
  int fails = refuses_file("write", descriptor);
  size_t most = fails ? done_part(offset, count) : count;
  ssize_t done = is_refused(descriptor) ? -1 : fails && most == 0 ? 0
    : real_write(descriptor, bytes, most);
  wrote(descriptor, offset, bytes, done);
  pthread_mutex_unlock(&lock);
  return fails ? failed() : done;
}
#define PWRITE(name, type)                                                        \
  ssize_t name(int descriptor, const void *bytes, size_t count, type offset) {    \
    REAL(ssize_t, name, int, const void *, size_t, type);                         \
    if (file(descriptor) == PLAIN) return real_##name(descriptor, bytes, count, offset); \
    pthread_mutex_lock(&lock);                                                    \
    int fails = refuses_file("pwrite", descriptor);                               \
    size_t most = fails ? done_part(offset, count) : count;                       \
    ssize_t done = is_refused(descriptor) ? -1 : fails && most == 0 ? 0           \
      : real_##name(descriptor, bytes, most, offset);                             \
    wrote(descriptor, offset, bytes, done);                                       \
    pthread_mutex_unlock(&lock);                                                  \
    return fails ? failed() : done;                                               \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, type)                                          \
  int name(int descriptor, type length) {                             \
    REAL(int, name, int, type);                                       \
    if (refuses_file("ftruncate", descriptor)) return failed();       \
    pthread_mutex_lock(&lock);                                        \
    int status = real_##name(descriptor, length);                     \
    int32_t number = file(descriptor);                                \
    if (status == 0 && number > 0) note('T', number, length, "", 0);  \
    pthread_mutex_unlock(&lock);                                      \
    return status;                                                    \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

// The contents of a reserve are not a part of a history, so they are not logged.
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  REAL(int, posix_fallocate, int, off_t, off_t);
  if (refusal(descriptor)) return refusal(descriptor);
  if (refuses_file("fallocate", descriptor)) return failed(), errno;
  return real_posix_fallocate(descriptor, offset, length);
}

static int synced(const char *call, int descriptor, int (*real)(int)) {
  int32_t number = file(descriptor);
  if (number == PLAIN || number == MARKS) return real(descriptor);
  while (is_set(hang_flag)) usleep(10000);
  int is_refused = refuses_file(call, descriptor);
  if (is_refused || is_set(fail_flag)) {
    pthread_mutex_lock(&lock);
    if (number > 0) note('F', number, 0, "", 0);
    pthread_mutex_unlock(&lock);
    if (is_refused) return failed();
    errno = EIO;
    return -1;
  }
  if (slowness) usleep(slowness);
  pthread_mutex_lock(&lock);
  int status = real(descriptor);
  const char *path = path_of[descriptor];
  if (status == 0 && number == DIRECTORY) note('D', 0, 0, path, strlen(path));
  if (status == 0 && number > 0) note('S', number, 0, "", 0);
  pthread_mutex_unlock(&lock);
  return status;
}
int fsync(int descriptor) {
  REAL(int, fsync, int);
  return synced("fsync", descriptor, real_fsync);
}
int fdatasync(int descriptor) {
  REAL(int, fdatasync, int);
  return synced("fdatasync", descriptor, real_fdatasync);
}
int close(int descriptor) {
  REAL(int, close, int);
  if (descriptor >= 0 && descriptor < FILES) file_of[descriptor] = PLAIN;
  return real_close(descriptor);
}
int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  if (getenv("CUTDISK_LINKLESS")) {
    errno = EPERM;
    return -1;
  }
  if (refuses("link", to)) return failed();
  pthread_mutex_lock(&lock);
  int status = real_link(from, to);
  struct stat linked;
  if (status == 0 && is_ours(to) && look_at(to, &linked) == 0) {
    for (int32_t i = known_count - 1; i >= 0; i--) {
      if (known[i].device != linked.st_dev || known[i].inode != linked.st_ino) continue;
      note('N', i + 1, 0, to, strlen(to));
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}
int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  if (refuses("rename", to)) return failed();
  pthread_mutex_lock(&lock);
  struct stat replaced;
  int replaces = is_ours(to) && look_at(to, &replaced) == 0;
  int status = real_rename(from, to);
  if (status == 0 && is_ours(from)) {
    if (replaces) forget(&replaced);
    char both[8192];
    int length = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
    note('R', 0, 0, both, length);
  }
  pthread_mutex_unlock(&lock);
  return status;
}
#define UNLINK(name)                                                      \
  int name(const char *path) {                                            \
    REAL(int, name, const char *);                                        \
    if (refuses("unlink", path)) return failed();                         \
    pthread_mutex_lock(&lock);                                            \
    struct stat gone;                                                     \
    int is_known = is_ours(path) && look_at(path, &gone) == 0;               \
    int status = real_##name(path);                                       \
    if (status == 0 && is_known) {                                        \
      if (gone.st_nlink == 1) forget(&gone);                              \
      note('U', 0, 0, path, strlen(path));                                \
    }                                                                     \
    pthread_mutex_unlock(&lock);                                          \
    return status;                                                        \
  }
UNLINK(unlink)
UNLINK(remove)
