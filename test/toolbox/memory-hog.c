// Takes memory, threads or disk in one of the ways that a program can, and holds on to it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t bytes;
static int seconds;

static void fail(const char *what) {
  perror(what);
  exit(3);
}

static void touch(char *at, size_t size) {
  for (size_t i = 0; i < size; i += 4096) at[i] = 1;
}

static void hold(void) {
  sleep(seconds);
  puts("held");
  exit(0);
}

static char *mapped(int flags, int fd) {
  char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (at == MAP_FAILED) fail("mmap");
  return at;
}

static int memfd(void) {
  int fd = memfd_create("hog", 0);
  if (fd < 0) fail("memfd_create");
  return fd;
}

static void fill(int fd, size_t size) {
  static char block[65536];
  for (size_t done = 0; done < size; done += sizeof block)
    if (write(fd, block, sizeof block) != sizeof block) fail("write");
}

// A descriptor that nobody has open: it waits in a socket.
static void send_away(int fd) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) fail("socketpair");
  char one = 1, room[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&one, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &fd, sizeof(int));
  if (sendmsg(ends[0], &message, 0) < 0) fail("sendmsg");
  close(fd);
}

static void open_many(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// Whatever the kernel takes without waiting.
static size_t stuff(int fd, size_t size) {
  static char block[4096];
  size_t done = 0;
  ssize_t taken;
  while (done < size && (taken = write(fd, block, sizeof block)) > 0) done += taken;
  return done;
}

// What is written and never read is the kernel's, and no process's.
static void fill_sockets(void) {
  open_many();
  for (size_t done = 0; done < bytes;) {
    int ends[2], wanted = 1 << 22;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) fail("socketpair");
    for (int side = 0; side < 2; side++) {
      setsockopt(ends[side], SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
      done += stuff(ends[side], bytes - done);
    }
  }
}

static void fill_pipes(void) {
  open_many();
  for (size_t done = 0; done < bytes;) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK)) break;
    done += stuff(ends[1], bytes - done);
  }
}

// One page of each huge one, and the rest is not told of anybody any more.
static void lend(const char *name) {
  open_many();
  size_t huge = 1 << 21;
  int ends[2] = {-1, -1};
  for (size_t done = 0, count = 0; done < bytes; done += huge, count++) {
    if (count % 16 == 0 && pipe(ends)) fail("pipe");
    char *at = mmap(NULL, 2 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) fail("mmap");
    char *whole = (char *)(((size_t)at + huge - 1) & ~(huge - 1));
    madvise(whole, huge, MADV_HUGEPAGE);
    memset(whole, 1, huge);
    if (name == NULL) {
      struct iovec page = {whole, 4096};
      if (vmsplice(ends[1], &page, 1, 0) != 4096) fail("vmsplice");
    } else {
      int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
      off_t from = 4096;
      if (file < 0 || write(file, whole, huge) != (ssize_t)huge) fail("file");
      if (sendfile(ends[1], file, &from, 4096) != 4096) fail("sendfile");
      if (ftruncate(file, 0)) fail("ftruncate");
      close(file);
    }
    munmap(at, 2 * huge);
  }
}

// No more than a process may lock, of each of many processes.
static void keep_secret(void) {
  size_t each = 4 << 20;
  for (size_t done = 0; done < bytes; done += each) {
    int fd = syscall(447, 0);
    if (fd < 0 || ftruncate(fd, each)) fail("memfd_secret");
    if (fork() == 0) {
      char *at = mmap(NULL, each, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (at == MAP_FAILED) _exit(4);
      memset(at, 1, each);
      sleep(seconds);
      _exit(0);
    }
    close(fd);
  }
}

static void *wait_here(void *unused) {
  for (;;) pause();
  return unused;
}

static void *take_late(void *unused) {
  usleep(50000);
  touch(mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1), bytes);
  hold();
  return unused;
}

static void with_children(char *at, int count) {
  for (int i = 0; i < count; i++) {
    if (fork() == 0) {
      for (size_t j = 0; j < bytes; j += 4096) if (at[j] != 1) _exit(4);
      sleep(seconds);
      _exit(0);
    }
  }
  for (int i = 0; i < count; i++) {
    int status;
    wait(&status);
    if (status != 0) exit(5);
  }
  puts("held");
  exit(0);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const char *way = argv[1];
  bytes = strtoul(argv[2], NULL, 10) << 20;
  seconds = atoi(argv[3]);
  if (!strcmp(way, "private")) touch(mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1), bytes);
  else if (!strcmp(way, "shared")) touch(mapped(MAP_SHARED | MAP_ANONYMOUS, -1), bytes);
  else if (!strcmp(way, "memfd")) fill(memfd(), bytes);
  else if (!strcmp(way, "memfds")) for (size_t i = 0; i < bytes >> 20; i++) fill(memfd(), 1 << 20);
  else if (!strcmp(way, "memfd-sent")) {
    for (size_t i = 0; i < bytes >> 23; i++) {
      int fd = memfd();
      fill(fd, 1 << 23);
      send_away(fd);
    }
  } else if (!strcmp(way, "memfd-hidden")) {
    prctl(PR_SET_DUMPABLE, 0);
    fill(memfd(), bytes);
  } else if (!strcmp(way, "sysv")) {
    int id = shmget(IPC_PRIVATE, bytes, 0600);
    if (id < 0) fail("shmget");
    char *at = shmat(id, NULL, 0);
    touch(at, bytes);
    shmdt(at);
  } else if (!strcmp(way, "semaphores")) {
    for (size_t taken = 0; taken < bytes; taken += 32000 * 64)
      if (semget(IPC_PRIVATE, 32000, 0600) < 0) fail("semget");
  } else if (!strcmp(way, "messages")) {
    struct { long type; char text[8000]; } message = { 1, "" };
    for (size_t taken = 0; taken < bytes;) {
      int id = msgget(IPC_PRIVATE, 0600);
      if (id < 0) fail("msgget");
      while (!msgsnd(id, &message, sizeof message.text, IPC_NOWAIT)) taken += sizeof message.text;
    }
  } else if (!strcmp(way, "sockets")) fill_sockets();
  else if (!strcmp(way, "pipes")) fill_pipes();
  else if (!strcmp(way, "pages-lent")) lend(NULL);
  else if (!strcmp(way, "file-lent")) lend("lent");
  else if (!strcmp(way, "secret")) keep_secret();
  else if (!strcmp(way, "headless")) {
    // The first thread ends; what the kernel tells of the process is then that of a dead one.
    pthread_t thread;
    pthread_create(&thread, NULL, take_late, NULL);
    pthread_exit(NULL);
  } else if (!strcmp(way, "threads")) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (size_t i = 0; i < bytes >> 20; i++) {
      pthread_t thread;
      if (pthread_create(&thread, &small, wait_here, NULL)) fail("pthread_create");
    }
  } else if (!strcmp(way, "share-anonymous")) {
    char *at = mapped(MAP_SHARED | MAP_ANONYMOUS, -1);
    touch(at, bytes);
    with_children(at, 4);
  } else if (!strcmp(way, "share-copies")) {
    char *at = mapped(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    touch(at, bytes);
    with_children(at, 4);
  } else if (!strcmp(way, "share-memfd")) {
    int fd = memfd();
    if (ftruncate(fd, bytes)) fail("ftruncate");
    char *at = mapped(MAP_SHARED, fd);
    touch(at, bytes);
    with_children(at, 4);
  } else if (!strcmp(way, "share-sysv")) {
    char *at = shmat(shmget(IPC_PRIVATE, bytes, 0600), NULL, 0);
    touch(at, bytes);
    with_children(at, 4);
  } else if (!strcmp(way, "file")) fill(open(argv[4], O_WRONLY | O_CREAT, 0644), bytes);
  else if (!strcmp(way, "sparse")) {
    int fd = open(argv[4], O_WRONLY | O_CREAT, 0644);
    if (ftruncate(fd, bytes)) fail("ftruncate");
  } else if (!strcmp(way, "unlinked")) {
    int fd = open(argv[4], O_WRONLY | O_CREAT, 0644);
    unlink(argv[4]);
    fill(fd, bytes);
  } else if (!strcmp(way, "unlinked-sent")) {
    int fd = open(argv[4], O_RDWR | O_CREAT, 0644);
    unlink(argv[4]);
    fill(fd, bytes);
    send_away(fd);
  } else if (!strcmp(way, "long-names")) {
    char name[4096];
    for (size_t i = 0; i < bytes >> 20; i++) {
      snprintf(name, sizeof name, "%s%0200zu", argv[4], i);
      if (symlink(".", name)) fail("symlink");
    }
  } else if (!strcmp(way, "unlinked-mapped")) {
    int fd = open(argv[4], O_RDWR | O_CREAT, 0644);
    unlink(argv[4]);
    if (ftruncate(fd, bytes)) fail("ftruncate");
    char *at = mapped(MAP_SHARED, fd);
    close(fd);
    touch(at, bytes);
  } else if (!strcmp(way, "allocated")) {
    int fd = open(argv[4], O_WRONLY | O_CREAT, 0644);
    if (posix_fallocate(fd, 0, bytes)) fail("posix_fallocate");
  } else if (!strcmp(way, "small-files")) {
    char name[256];
    for (size_t i = 0; i < bytes >> 20; i++) {
      snprintf(name, sizeof name, "%s-%zu", argv[4], i);
      int fd = open(name, O_WRONLY | O_CREAT, 0644);
      if (fd < 0) fail("open");
      close(fd);
    }
  } else return 2;
  hold();
}
