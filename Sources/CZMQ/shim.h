// What Swift needs to know about libzmq, and the few things that only C can say.
//
// This target is a system library and holds no C file: helpers are `static inline`.

#ifndef CZMQ_SHIM_H
#define CZMQ_SHIM_H

#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <pthread.h>
#elif defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// zmq.h shows these only with ZMQ_BUILD_DRAFT_API, but a libzmq built without drafts takes them.
// Another build may answer EINVAL, so whoever sets one must be able to live without it.
#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93
#endif
#ifndef ZMQ_ONLY_FIRST_SUBSCRIBE
#define ZMQ_ONLY_FIRST_SUBSCRIBE 108
#endif

// A zmq_msg_t seen as eight words instead of 64 bytes: Swift moves a struct field by field, and
// eight fields are two vector moves where 64 would be 64 loads and stores. libzmq itself moves
// messages bit by bit (they hold no pointer into themselves), so Swift may as well.
typedef struct czmq_message {
  uint64_t words[8];
} czmq_message;

_Static_assert(sizeof(czmq_message) == sizeof(zmq_msg_t), "a message is 64 bytes");
_Static_assert(_Alignof(czmq_message) >= _Alignof(zmq_msg_t), "a message is aligned for zmq_msg_t");

static inline int czmq_message_init(czmq_message *message) {
  return zmq_msg_init((zmq_msg_t *)message);
}

static inline int czmq_message_init_size(czmq_message *message, size_t size) {
  return zmq_msg_init_size((zmq_msg_t *)message, size);
}

static inline int czmq_message_init_data(
  czmq_message *message, void *data, size_t size, zmq_free_fn *release, void *hint
) {
  return zmq_msg_init_data((zmq_msg_t *)message, data, size, release, hint);
}

static inline int czmq_message_close(czmq_message *message) {
  return zmq_msg_close((zmq_msg_t *)message);
}

// Not const in its source: the first copy of a long message marks the source as shared, too.
static inline int czmq_message_copy(czmq_message *destination, czmq_message *source) {
  return zmq_msg_copy((zmq_msg_t *)destination, (zmq_msg_t *)source);
}

// zmq_msg_data only reads the message, although its parameter is not const.
static inline void *czmq_message_data(const czmq_message *message) {
  return zmq_msg_data((zmq_msg_t *)message);
}

static inline size_t czmq_message_size(const czmq_message *message) {
  return zmq_msg_size((const zmq_msg_t *)message);
}

static inline bool czmq_message_more(const czmq_message *message) {
  return zmq_msg_more((const zmq_msg_t *)message) != 0;
}

static inline const char *czmq_message_property(const czmq_message *message, const char *name) {
  return zmq_msg_gets((const zmq_msg_t *)message, name);
}

// A property that consists of decimal digits, up to its end or its first space.
static inline bool czmq_message_number(
  const czmq_message *message, const char *name, uint64_t *number
) {
  const char *text = czmq_message_property(message, name);
  if (!text || *text < '0' || *text > '9') return false;
  char *end;
  *number = strtoull(text, &end, 10);
  return *end == 0 || *end == ' ';
}

static inline int czmq_message_send(czmq_message *message, void *socket, int flags) {
  return zmq_msg_send((zmq_msg_t *)message, socket, flags);
}

static inline int czmq_message_receive(czmq_message *message, void *socket, int flags) {
  return zmq_msg_recv((zmq_msg_t *)message, socket, flags);
}

// Whether the calling thread is the one the process started on.
static inline bool czmq_is_main_thread(void) {
#if defined(__APPLE__)
  return pthread_main_np() != 0;
#elif defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
#error "Say here how this platform tells its main thread."
#endif
}

// How much memory the process has; 0 where that is not known.
static inline size_t czmq_resident_bytes(void) {
#if defined(__APPLE__)
  struct mach_task_basic_info info;
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  kern_return_t result =
    task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count);
  return result == KERN_SUCCESS ? info.resident_size : 0;
#else
  char text[128];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof(text) - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  char *resident = strchr(text, ' ');
  return resident ? strtoul(resident, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
#endif
}

// The bytes that have come on a connection and were not read; 0 where that is not known.
static inline int czmq_queued_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) == 0 && count > 0 ? count : 0;
}

// The user at the other end of a local connection, as the kernel vouches for it.
static inline bool czmq_peer_user(int descriptor, uint32_t *user) {
#if defined(__APPLE__)
  uid_t uid;
  gid_t gid;
  if (getpeereid(descriptor, &uid, &gid) != 0) return false;
  *user = uid;
  return true;
#else
  // As `struct ucred`, which only GNU's headers declare, and only when asked to.
  struct { int32_t pid; uint32_t uid, gid; } peer;
  socklen_t size = sizeof(peer);
  int domain;
  socklen_t domain_size = sizeof(domain);
  if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) != 0) return false;
  if (domain != AF_UNIX) return false;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  *user = peer.uid;
  return true;
#endif
}

// The number that the system has given to a socket, and its own end: the path of a local one, or the
// port. The path has room for `sun_path` and a zero. False for what is no connection of these kinds.
static inline bool czmq_own_end(int descriptor, uint64_t *number, char *path, uint16_t *port) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  *number = status.st_ino;
  struct sockaddr_storage address;
  memset(&address, 0, sizeof(address));
  socklen_t size = sizeof(address);
  if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return false;
  *path = 0;
  *port = 0;
  if (address.ss_family == AF_UNIX) {
    struct sockaddr_un *local = (struct sockaddr_un *)&address;
    memcpy(path, local->sun_path, sizeof(local->sun_path));
    path[sizeof(local->sun_path)] = 0;
    return *path != 0;
  }
  if (address.ss_family == AF_INET) {
    *port = ntohs(((struct sockaddr_in *)&address)->sin_port);
  } else if (address.ss_family == AF_INET6) {
    *port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  }
  return *port != 0;
}

// Which program is at the other end of a connection: a local one's process, as the kernel vouches for
// it, or the address of a machine, of IPv6 the part that its network has given to it; else 0.
static inline uint64_t czmq_peer_program(int descriptor) {
  struct sockaddr_storage address;
  socklen_t size = sizeof(address);
  if (getpeername(descriptor, (struct sockaddr *)&address, &size) != 0) return 0;
  uint64_t number = 0;
  if (address.ss_family == AF_INET) {
    memcpy(&number, &((struct sockaddr_in *)&address)->sin_addr, 4);
  } else if (address.ss_family == AF_INET6) {
    memcpy(&number, &((struct sockaddr_in6 *)&address)->sin6_addr, 8);
#if defined(__APPLE__)
  } else if (address.ss_family == AF_UNIX) {
    pid_t pid = 0;
    socklen_t pid_size = sizeof(pid);
    if (getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &pid, &pid_size) == 0) number = pid;
#else
  } else if (address.ss_family == AF_UNIX) {
    struct { int32_t pid; uint32_t uid, gid; } peer;
    socklen_t peer_size = sizeof(peer);
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) == 0) number = peer.pid;
#endif
  }
  return number;
}

// Gives pages back to the system that hold nothing any more: GNU's allocator keeps those between
// others that do. Elsewhere the allocator does so by itself.
static inline void czmq_return_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// From now on blocks of this size and above are mappings, which go back to the system when they are
// freed. Elsewhere the allocator does so by itself. A setting in the environment is respected.
static inline void czmq_map_blocks(int bytes) {
#if defined(__GLIBC__)
  if (getenv("MALLOC_MMAP_THRESHOLD_") != NULL) return;
  mallopt(M_MMAP_THRESHOLD, bytes);
#else
  (void)bytes;
#endif
}

#if defined(__linux__)
// The two functions of libdispatch through which CoreFoundation's run loop serves the main queue.
// They are exported, but declared only in a private header.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);
#endif

#endif
