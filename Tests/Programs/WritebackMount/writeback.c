// A file system in user space that shows a directory under a second path. The kernel caches written
// data until a sync: FUSE's writeback cache. Two such mounts of one directory simulate two
// machines, each with its own page cache, sizes and locks.
//
//   writeback SOURCE MOUNTPOINT     continues in the background after the mount
//
// Needs libfuse 3: cc writeback.c $(pkg-config --cflags --libs fuse3)
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *source;

// The path of a file in the source.
#define AT(name, path)                                                \
  char name[PATH_MAX];                                                \
  if (snprintf(name, sizeof name, "%s%s", source, path) >= (int)sizeof name) return -ENAMETOOLONG
#define RESULT(call) return (call) == -1 ? -errno : 0

static void *start(struct fuse_conn_info *connection, struct fuse_config *config) {
  if (!(connection->capable & FUSE_CAP_WRITEBACK_CACHE)) {
    fprintf(stderr, "This kernel has no writeback cache for FUSE.\n");
    exit(1);
  }
  connection->want |= FUSE_CAP_WRITEBACK_CACHE;
  // The inode numbers are those of the source. Cached data stays when a file is opened again.
  config->use_ino = 1;
  config->kernel_cache = 1;
  return NULL;
}
static int look(const char *path, struct stat *status, struct fuse_file_info *info) {
  if (info) RESULT(fstat(info->fh, status));
  AT(place, path);
  RESULT(lstat(place, status));
}
static int list(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                struct fuse_file_info *info, enum fuse_readdir_flags flags) {
  (void)offset, (void)info, (void)flags;
  AT(place, path);
  DIR *listing = opendir(place);
  if (!listing) return -errno;
  struct dirent *entry;
  while ((entry = readdir(listing))) {
    struct stat status = {.st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12};
    if (fill(buffer, entry->d_name, &status, 0, 0)) break;
  }
  closedir(listing);
  return 0;
}
static int make_directory(const char *path, mode_t mode) {
  AT(place, path);
  RESULT(mkdir(place, mode));
}
static int remove_file(const char *path) {
  AT(place, path);
  RESULT(unlink(place));
}
static int remove_directory(const char *path) {
  AT(place, path);
  RESULT(rmdir(place));
}
static int move(const char *from, const char *to, unsigned flags) {
  AT(old, from);
  AT(new, to);
  RESULT(renameat2(AT_FDCWD, old, AT_FDCWD, new, flags));
}
static int name_again(const char *from, const char *to) {
  AT(old, from);
  AT(new, to);
  RESULT(link(old, new));
}
static int set_mode(const char *path, mode_t mode, struct fuse_file_info *info) {
  if (info) RESULT(fchmod(info->fh, mode));
  AT(place, path);
  RESULT(chmod(place, mode));
}
static int set_owner(const char *path, uid_t user, gid_t group, struct fuse_file_info *info) {
  if (info) RESULT(fchown(info->fh, user, group));
  AT(place, path);
  RESULT(lchown(place, user, group));
}
static int set_size(const char *path, off_t size, struct fuse_file_info *info) {
  if (info) RESULT(ftruncate(info->fh, size));
  AT(place, path);
  RESULT(truncate(place, size));
}
static int set_times(const char *path, const struct timespec times[2],
                     struct fuse_file_info *info) {
  if (info) RESULT(futimens(info->fh, times));
  AT(place, path);
  RESULT(utimensat(AT_FDCWD, place, times, AT_SYMLINK_NOFOLLOW));
}
// Adapts the flags: the kernel reads pages that it writes in part, appends by itself, and does not
// align its writes.
static int flags(const struct fuse_file_info *info) {
  int flags = info->flags & ~(O_APPEND | O_DIRECT);
  return (flags & O_ACCMODE) == O_WRONLY ? (flags & ~O_ACCMODE) | O_RDWR : flags;
}
static int open_again(const char *path, struct fuse_file_info *info) {
  AT(place, path);
  int descriptor = open(place, flags(info));
  if (descriptor < 0) return -errno;
  info->fh = descriptor;
  return 0;
}
static int make_file(const char *path, mode_t mode, struct fuse_file_info *info) {
  AT(place, path);
  int descriptor = open(place, flags(info) | O_CREAT, mode);
  if (descriptor < 0) return -errno;
  info->fh = descriptor;
  return 0;
}
static int read_bytes(const char *path, char *bytes, size_t count, off_t offset,
                      struct fuse_file_info *info) {
  (void)path;
  ssize_t done = pread(info->fh, bytes, count, offset);
  return done < 0 ? -errno : done;
}
static int write_bytes(const char *path, const char *bytes, size_t count, off_t offset,
                       struct fuse_file_info *info) {
  (void)path;
  ssize_t done = pwrite(info->fh, bytes, count, offset);
  return done < 0 ? -errno : done;
}
static int sync_file(const char *path, int is_data, struct fuse_file_info *info) {
  (void)path;
  RESULT(is_data ? fdatasync(info->fh) : fsync(info->fh));
}
static int sync_directory(const char *path, int is_data, struct fuse_file_info *info) {
  (void)is_data, (void)info;
  AT(place, path);
  int descriptor = open(place, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return -errno;
  int status = fsync(descriptor), error = errno;
  close(descriptor);
  return status == -1 ? -error : 0;
}
static int allocate(const char *path, int mode, off_t offset, off_t length,
                    struct fuse_file_info *info) {
  (void)path;
  RESULT(fallocate(info->fh, mode, offset, length));
}
static int describe(const char *path, struct statvfs *status) {
  AT(place, path);
  RESULT(statvfs(place, status));
}
static int forget(const char *path, struct fuse_file_info *info) {
  (void)path;
  close(info->fh);
  return 0;
}

static const struct fuse_operations operations = {
  .init = start, .getattr = look, .readdir = list, .mkdir = make_directory, .unlink = remove_file,
  .rmdir = remove_directory, .rename = move, .link = name_again, .chmod = set_mode,
  .chown = set_owner, .truncate = set_size, .utimens = set_times, .open = open_again,
  .create = make_file, .read = read_bytes, .write = write_bytes, .fsync = sync_file,
  .fsyncdir = sync_directory, .fallocate = allocate, .statfs = describe, .release = forget,
};

int main(int count, char *words[]) {
  if (count != 3 || words[1][0] != '/') {
    fprintf(stderr, "writeback SOURCE MOUNTPOINT, both absolute\n");
    return 64;
  }
  source = words[1];
  char *arguments[] = {words[0], words[2], NULL};
  return fuse_main(2, arguments, &operations, NULL);
}
