/* Counts the system calls of this process on files below one folder, and lets the one of a given number go wrong.
 *
 * Preloaded (LD_PRELOAD), it stands between Python, SQLite and the C library. Nothing is counted before
 * `shim_arm`, which a trial calls in its forked process just before the command that it tries. Each call that
 * changed something is written to the log, if there is one, as a line with its number, and behind it what was written:
 *
 *     number \t name \t path \t other path \t offset \t bytes \n data
 *
 * The kinds and what may happen to a call have the same names and values in shim.py.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITE = 1, FLUSH = 2, RENAME = 4, REMOVE = 8, CREATE = 16, CUT = 32, FOLDER = 64, READ = 128, CLOSE = 256,
            LOCK = 512, OPEN = 1024 };
enum act { NOTHING, KILL_BEFORE, KILL_HALF, KILL_AFTER, FAIL_ONCE, FAIL_ON, SHORT_ONCE, SHORT_ON };
enum verdict { GO_ON, REFUSE, HALVE, HALVE_AND_DIE, DIE_AFTER };

#define MOST_HANDLES 4096
static char below[PATH_MAX], *path_of[MOST_HANDLES]; /* the path of each open file that counts */
static int act, error, kinds, log_handle = -1, is_armed;
static volatile long at, count;
static long long clock_seconds, clock_jump; /* 0: the real clock */

#define THE_REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

void shim_arm(const char *folder, int what, long number, int which_error, int which_kinds, int log) {
  snprintf(below, sizeof below, "%s/", folder);
  act = what; at = number; error = which_error; kinds = which_kinds; log_handle = log; count = 0; is_armed = 1;
}
void shim_disarm(void) { is_armed = 0; }
long shim_count(void) { return count; }
/* Let the clock on the wall stand still at so many seconds since 1970, and jump by so many from the `at`th call on. */
void shim_clock(long long seconds, long long jump) { clock_seconds = seconds; clock_jump = jump; }

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

/* Count a call, and say what becomes of it. */
static enum verdict meet(enum kind kind) {
  if (!(kinds & kind)) return GO_ON;
  long number = __sync_add_and_fetch(&count, 1);
  if ((act == FAIL_ON || act == SHORT_ON) ? number < at : number != at) return GO_ON;
  switch (act) {
    case KILL_BEFORE: die();
    case KILL_HALF: return HALVE_AND_DIE;
    case KILL_AFTER: return DIE_AFTER;
    case FAIL_ONCE: case FAIL_ON: errno = error; return REFUSE;
    case SHORT_ONCE: case SHORT_ON: return HALVE;
    default: return GO_ON;
  }
}

static void note(const char *name, const char *path, const char *other, long offset, const void *data, long bytes) {
  if (log_handle < 0) return;
  char line[2 * PATH_MAX + 100];
  int length = snprintf(line, sizeof line, "%ld\t%s\t%s\t%s\t%ld\t%ld\n", count, name, path, other, offset, bytes);
  syscall(SYS_write, log_handle, line, length);
  if (bytes) syscall(SYS_write, log_handle, data, bytes);
}

/* The full path of what a call names, into `full`; whether it lies below the folder. */
static int counts(int folder, const char *path, char *full) {
  if (!is_armed || !path) return 0;
  char place[64], at_folder[PATH_MAX] = "";
  if (path[0] != '/') {
    snprintf(place, sizeof place, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    ssize_t length = readlink(place, at_folder, sizeof at_folder - 1);
    if (length < 0) return 0;
    at_folder[length] = 0;
  }
  if (snprintf(full, PATH_MAX, "%s%s%s", at_folder, path[0] == '/' ? "" : "/", path) >= PATH_MAX) return 0;
  return !strncmp(full, below, strlen(below));
}
static int is_ours(int handle) { return is_armed && handle >= 0 && handle < MOST_HANDLES && path_of[handle]; }

/* Opening: what makes, empties or may change a file is CREATE, all else OPEN. */
static int opened(int handle, const char *full, int is_new, int flags) {
  if (handle < 0 || handle >= MOST_HANDLES) return handle;
  free(path_of[handle]);
  path_of[handle] = strdup(full);
  if (is_new) note("create", full, "", 0, 0, 0);
  else if (flags & O_TRUNC) note("cut", full, "", 0, 0, 0);
  return handle;
}
#define OPENING(folder, call)                                                             \
  mode_t mode = 0; char full[PATH_MAX];                                                 \
  if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
  if (!counts(folder, path, full)) return call;                                         \
  enum verdict verdict = meet(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR) ? CREATE : OPEN); \
  if (verdict == REFUSE) return -1;                                                     \
  int is_new = flags & O_CREAT && access(full, F_OK), handle = opened(call, full, is_new, flags); \
  if (verdict > HALVE) die();                                                           \
  return handle;
int open(const char *path, int flags, ...) { THE_REAL(open); OPENING(AT_FDCWD, real(path, flags, mode)) }
int open64(const char *path, int flags, ...) { THE_REAL(open64); OPENING(AT_FDCWD, real(path, flags, mode)) }
int openat(int folder, const char *path, int flags, ...) { THE_REAL(openat); OPENING(folder, real(folder, path, flags, mode)) }
int openat64(int folder, const char *path, int flags, ...) { THE_REAL(openat64); OPENING(folder, real(folder, path, flags, mode)) }

int close(int handle) {
  THE_REAL(close);
  if (!is_ours(handle)) return real(handle);
  enum verdict verdict = meet(CLOSE);
  free(path_of[handle]);
  path_of[handle] = NULL;
  int result = real(handle);
  if (verdict > HALVE) die();
  if (verdict == REFUSE) { errno = error; return -1; }
  return result;
}

/* Writing: the only calls of which there can be a half. */
static long place(int handle) {
  struct stat status;
  return fcntl(handle, F_GETFL) & O_APPEND && !fstat(handle, &status) ? status.st_size : lseek(handle, 0, SEEK_CUR);
}
#define WRITE_TO(handle, offset, call)                                                  \
  if (!is_ours(handle)) return call;                                                    \
  enum verdict verdict = meet(WRITE);                                                   \
  if (verdict == REFUSE) return -1;                                                     \
  long where = offset;                                                                  \
  if ((verdict == HALVE || verdict == HALVE_AND_DIE) && size > 1) size /= 2;            \
  ssize_t written = call;                                                               \
  if (written > 0) note("write", path_of[handle], "", where, data, written);            \
  if (verdict > HALVE) die();                                                           \
  return written;
ssize_t write(int handle, const void *data, size_t size) { THE_REAL(write); WRITE_TO(handle, place(handle), real(handle, data, size)) }
ssize_t pwrite(int handle, const void *data, size_t size, off_t offset) { THE_REAL(pwrite); WRITE_TO(handle, offset, real(handle, data, size, offset)) }
ssize_t pwrite64(int handle, const void *data, size_t size, off64_t offset) { THE_REAL(pwrite64); WRITE_TO(handle, offset, real(handle, data, size, offset)) }
/* Without these, Python copies a file with the calls above. */
ssize_t sendfile(int to, int from, off_t *offset, size_t size) { THE_REAL(sendfile); if (is_ours(to)) { errno = EINVAL; return -1; } return real(to, from, offset, size); }
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) { THE_REAL(sendfile64); if (is_ours(to)) { errno = EINVAL; return -1; } return real(to, from, offset, size); }

#define READ_FROM(call) if (is_ours(handle) && meet(READ) == REFUSE) return -1; return call;
ssize_t read(int handle, void *data, size_t size) { THE_REAL(read); READ_FROM(real(handle, data, size)) }
ssize_t pread(int handle, void *data, size_t size, off_t offset) { THE_REAL(pread); READ_FROM(real(handle, data, size, offset)) }
ssize_t pread64(int handle, void *data, size_t size, off64_t offset) { THE_REAL(pread64); READ_FROM(real(handle, data, size, offset)) }

/* What is whole or not at all: killed half-way is killed after. */
#define AT_ONCE(kind, does_count, call, noting)                                         \
  if (!(does_count)) return call;                                                       \
  enum verdict verdict = meet(kind);                                                    \
  if (verdict == REFUSE) return -1;                                                     \
  int result = call;                                                                    \
  if (!result) noting;                                                                  \
  if (verdict > HALVE) die();                                                           \
  return result;
#define NAMED(kind, folder, name, call) char full[PATH_MAX]; AT_ONCE(kind, counts(folder, path, full), call, note(name, full, "", 0, 0, 0))
#define MOVED(from_folder, to_folder, name, call) char full[PATH_MAX], other[PATH_MAX]; \
  AT_ONCE(RENAME, counts(from_folder, from, full) | counts(to_folder, to, other), call, note(name, full, other, 0, 0, 0))
int fsync(int handle) { THE_REAL(fsync); AT_ONCE(FLUSH, is_ours(handle), real(handle), note("flush", path_of[handle], "", 0, 0, 0)) }
int fdatasync(int handle) { THE_REAL(fdatasync); AT_ONCE(FLUSH, is_ours(handle), real(handle), note("flush", path_of[handle], "", 0, 0, 0)) }
int ftruncate(int handle, off_t size) { THE_REAL(ftruncate); AT_ONCE(CUT, is_ours(handle), real(handle, size), note("cut", path_of[handle], "", size, 0, 0)) }
int ftruncate64(int handle, off64_t size) { THE_REAL(ftruncate64); AT_ONCE(CUT, is_ours(handle), real(handle, size), note("cut", path_of[handle], "", size, 0, 0)) }
int rename(const char *from, const char *to) { THE_REAL(rename); MOVED(AT_FDCWD, AT_FDCWD, "rename", real(from, to)) }
int renameat(int from_folder, const char *from, int to_folder, const char *to) { THE_REAL(renameat); MOVED(from_folder, to_folder, "rename", real(from_folder, from, to_folder, to)) }
int link(const char *from, const char *to) { THE_REAL(link); MOVED(AT_FDCWD, AT_FDCWD, "link", real(from, to)) }
int unlink(const char *path) { THE_REAL(unlink); NAMED(REMOVE, AT_FDCWD, "remove", real(path)) }
int unlinkat(int folder, const char *path, int flags) { THE_REAL(unlinkat); NAMED(REMOVE, folder, "remove", real(folder, path, flags)) }
int rmdir(const char *path) { THE_REAL(rmdir); NAMED(REMOVE, AT_FDCWD, "remove", real(path)) }
int mkdir(const char *path, mode_t mode) { THE_REAL(mkdir); NAMED(FOLDER, AT_FDCWD, "folder", real(path, mode)) }
int chmod(const char *path, mode_t mode) { THE_REAL(chmod); NAMED(FOLDER, AT_FDCWD, "rights", real(path, mode)) }
DIR *opendir(const char *path) {
  THE_REAL(opendir);
  char full[PATH_MAX];
  return counts(AT_FDCWD, path, full) && meet(OPEN) == REFUSE ? NULL : real(path);
}
int flock(int handle, int operation) { THE_REAL(flock); return is_ours(handle) && meet(LOCK) == REFUSE ? -1 : real(handle, operation); }
#define LOCKING                                                                         \
  va_list more; va_start(more, command); void *argument = va_arg(more, void *); va_end(more); \
  if ((command == F_SETLK || command == F_SETLKW) && is_ours(handle) && meet(LOCK) == REFUSE) return -1; \
  return real(handle, command, argument);
int fcntl(int handle, int command, ...) { THE_REAL(fcntl); LOCKING }
int fcntl64(int handle, int command, ...) { THE_REAL(fcntl64); LOCKING }

/* Where calls go on failing, SQLite waits in vain for its lock, by counting how long it has slept: it need not. */
int usleep(useconds_t time) { THE_REAL(usleep); return is_armed && act == FAIL_ON ? 0 : real(time); }
int nanosleep(const struct timespec *time, struct timespec *left) {
  THE_REAL(nanosleep);
  return is_armed && act == FAIL_ON ? 0 : real(time, left);
}

/* A clock on the wall that many processes share, in a file (MEMPROC_CLOCK): from a moment on it shows another, and
 * runs faster. Whoever writes into the file lets it jump in all of them. */
struct clock { long long began, shows, rate; }; /* nanoseconds since the system's start, since 1970, times as fast */
static volatile struct clock *shared_clock;
__attribute__((constructor)) static void share_clock(void) {
  const char *path = getenv("MEMPROC_CLOCK");
  if (!path) return;
  int handle = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (handle < 0) return;
  void *place = mmap(NULL, sizeof *shared_clock, PROT_READ, MAP_SHARED, handle, 0);
  if (place != MAP_FAILED) shared_clock = place;
  syscall(SYS_close, handle);
}

/* The clock on the wall; what measures durations stays as it is. */
int clock_gettime(clockid_t clock, struct timespec *now) {
  THE_REAL(clock_gettime);
  int result = real(clock, now);
  if (clock != CLOCK_REALTIME) return result;
  if (clock_seconds) { now->tv_sec = clock_seconds + (count >= at ? clock_jump : 0); now->tv_nsec = 0; }
  else if (shared_clock) {
    struct timespec lasted;
    real(CLOCK_MONOTONIC, &lasted);
    long long since = lasted.tv_sec * 1000000000LL + lasted.tv_nsec - shared_clock->began;
    long long shown = shared_clock->shows + since * shared_clock->rate;
    now->tv_sec = shown / 1000000000LL; now->tv_nsec = shown % 1000000000LL;
  }
  return result;
}
