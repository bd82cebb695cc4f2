// Simulates a file system that does not answer, for a program that loads it by LD_PRELOAD.
//
//   SLOWFILE_END   the end of a path: only such files are slow
//   SLOWFILE_FLAG  while a file of this name exists, opening a slow file does not return
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_slow(const char *path) {
  const char *end = getenv("SLOWFILE_END"), *flag = getenv("SLOWFILE_FLAG");
  if (!end || !flag || strlen(path) < strlen(end)) return 0;
  return strcmp(path + strlen(path) - strlen(end), end) == 0 && access(flag, F_OK) == 0;
}

#define OPEN(name)                                                          \
  int name(const char *path, int flags, ...) {                              \
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...)) \
        dlsym(RTLD_NEXT, #name);                                            \
    va_list arguments;                                                      \
    va_start(arguments, flags);                                             \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments);                                                      \
    while (is_slow(path)) usleep(10000);                                    \
    return real(path, flags, mode);                                         \
  }
OPEN(open)
OPEN(open64)
