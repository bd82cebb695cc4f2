// The cost of durability without a store: appends to a file, and Redis.
//
// disk append FILE COUNT BYTES            one append and its fdatasync at a time
// disk redis SOCKET COUNT BYTES WINDOW    SETs of as many bytes, up to WINDOW in flight on one
//                                         connection; with WINDOW 1 the latency of a SET
//
// Prints one line: a JSON object. Define NO_REDIS to build it without hiredis.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef NO_REDIS
#include <hiredis/hiredis.h>
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static void print_latency(double *times, int count) {
  qsort(times, count, sizeof *times, ascending);
  printf("{\"p50_us\":%.2f,\"p99_us\":%.2f}\n", times[count / 2] * 1e6,
         times[(int)(count * 0.99)] * 1e6);
}
static int fail(const char *what) {
  perror(what);
  return 1;
}

static int append(const char *path, int count, int bytes) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  if (file < 0) return fail(path);
  char *record = calloc(1, bytes);
  double *times = calloc(count, sizeof *times);
  for (int i = 0; i < count; i++) {
    double start = now();
    if (write(file, record, bytes) != bytes || fdatasync(file) != 0) return fail("append");
    times[i] = now() - start;
  }
  print_latency(times, count);
  return 0;
}

#ifndef NO_REDIS
static int answer(redisContext *redis) {
  redisReply *reply;
  if (redisGetReply(redis, (void **)&reply) != REDIS_OK) return fail(redis->errstr);
  int is_error = reply->type == REDIS_REPLY_ERROR;
  if (is_error) fprintf(stderr, "%s\n", reply->str);
  freeReplyObject(reply);
  return is_error;
}
static int redis(const char *path, int count, int bytes, int window) {
  redisContext *redis = redisConnectUnix(path);
  if (!redis || redis->err) return fail("redis");
  char *value = calloc(1, bytes);
  double *times = calloc(count, sizeof *times), start = now();
  int answered = 0;
  for (int sent = 0; sent < count; sent++) {
    double begin = now();
    redisAppendCommand(redis, "SET key:%d %b", sent % 1000, value, (size_t)bytes);
    while (sent + 1 - answered >= window) {
      if (answer(redis)) return 1;
      answered++;
    }
    times[sent] = now() - begin;
  }
  while (answered < count) {
    if (answer(redis)) return 1;
    answered++;
  }
  if (window == 1) {
    print_latency(times, count);
  } else {
    printf("{\"actions_per_s\":%.1f}\n", count / (now() - start));
  }
  return 0;
}
#endif

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "append") == 0)
    return append(argv[2], atoi(argv[3]), atoi(argv[4]));
#ifndef NO_REDIS
  if (argc == 6 && strcmp(argv[1], "redis") == 0)
    return redis(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
#endif
  fprintf(stderr, "disk append FILE COUNT BYTES | disk redis SOCKET COUNT BYTES WINDOW\n");
  return 64;
}
