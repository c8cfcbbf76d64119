/* Agent code that attacks: it swaps, links and plants things in the folder it is started in, at full speed.
 *
 *   attacker PLAN
 *
 * Each line of PLAN is one act with its words, and each act gets a process of its own. All end when the time
 * of `limit` is over or a file `PLAN.stop` is there; `PLAN.ready` says that they have begun.
 *   limit MS                    how long the acts go on; 1000 without it
 *   leave                       the first process ends at once, and what it started stays
 *   swap A B                    A and B change places in one step
 *   turn A B C                  A and B change places, then B and C: three things take turns at one name
 *   relink NAME TARGET ASIDE    NAME goes aside, a link to TARGET stands in for it, NAME comes back
 *   trigger FILE NAME TARGET    as soon as FILE exists, NAME goes aside for good and is a link to TARGET
 *   opened N FILE NAME TARGET   the same when somebody opens FILE for the Nth time
 *   react FOLDER A B            A and B change places for a moment when somebody does something in FOLDER
 *   gone FILE NAME TARGET       the same as soon as FILE, which was there, has gone
 *   dangle NAME TARGET          NAME is a link to TARGET and then nothing, in turn
 *   second NAME SECRET          NAME is another name of SECRET and then a file of its own, in turn
 *   pipe NAME ASIDE             NAME is a pipe and then what it was, in turn
 *   fifo NAME                   NAME is a pipe from now on
 *   shift FROM TO               the folder FROM is moved to TO and back
 *   plant NAME TEXT             writes a file NAME with TEXT (where \n is a line feed), and the folders above it
 *   write NAME TEXT             the same over and over, if the folder is there
 *   show NAME                   prints what can be read there, once
 *   beat NAME                   appends to NAME every millisecond, which shows that it still runs
 * At the end it prints how often each act was done. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ACTS_MAX 64
#define WORDS_MAX 6
#define TEXT_MAX 65536

struct act {
  char *words[WORDS_MAX];
  int count;
};

static double end_ms;
static char stop_file[4096], ready_file[4096];
static volatile long *done;
static int at;

/* The place after the last act counts those that have begun. */
static void begin(void) { __sync_fetch_and_add(&done[ACTS_MAX], 1); }

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* Looked at every few rounds only, so that the rounds themselves stay fast. */
static int is_over(long round) {
  if (round % 64 != 0) return 0;
  return now_ms() > end_ms || access(stop_file, F_OK) == 0;
}

static int exchange(const char *a, const char *b) { return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE); }

static void swap(char **words) {
  long round = 0;
  for (; !is_over(round); round += 1)
    if (exchange(words[1], words[2]) == 0) done[at] += 1;
  if (done[at] % 2 == 1) exchange(words[1], words[2]);
}

static void turn(char **words) {
  for (long round = 0; !is_over(round); round += 1) {
    exchange(words[1], words[2]);
    exchange(words[2], words[3]);
    done[at] += 1;
  }
}

static void relink(char **words) {
  for (long round = 0; !is_over(round); round += 1) {
    if (rename(words[1], words[3]) != 0) continue;
    if (symlink(words[2], words[1]) == 0) unlink(words[1]);
    while (rename(words[3], words[1]) != 0 && !is_over(++round)) unlink(words[1]);
    done[at] += 1;
  }
}

static void lay(char **words) {
  char aside[4096];
  snprintf(aside, sizeof aside, "%s.aside-%d", words[2], (int)getpid());
  if (rename(words[2], aside) == 0 && symlink(words[3], words[2]) == 0) done[at] += 1;
}

static void trigger(char **words) {
  for (long round = 0; access(words[1], F_OK) != 0; round += 1)
    if (is_over(round)) return;
  lay(words);
}

/* Answers whether something happened; not before, unless it is over. */
static int wait_event(int watch) {
  char events[4096] __attribute__((aligned(8)));
  struct pollfd asked = {.fd = watch, .events = POLLIN};
  for (;;) {
    if (poll(&asked, 1, 5) > 0) return read(watch, events, sizeof(struct inotify_event) + 256) > 0;
    if (is_over(0)) return 0;
  }
}

static void opened(char **words) {
  int watch = inotify_init(), is_watching = inotify_add_watch(watch, words[2], IN_OPEN) >= 0;
  begin();
  if (!is_watching) return;
  for (int times = atoi(words[1]); times > 0; times -= 1)
    if (!wait_event(watch)) return;
  lay(words + 1);
}

static void react(char **words) {
  int events = IN_OPEN | IN_ACCESS | IN_CREATE | IN_CLOSE | IN_DELETE | IN_ATTRIB;
  int watch = inotify_init(), is_watching = inotify_add_watch(watch, words[1], events) >= 0;
  begin();
  if (!is_watching) return;
  while (wait_event(watch)) {
    if (exchange(words[2], words[3]) != 0) continue;
    usleep(done[at]++ % 8 * 50);
    exchange(words[2], words[3]);
  }
}

static void gone(char **words) {
  for (long round = 0; access(words[1], F_OK) == 0; round += 1)
    if (is_over(round)) return;
  lay(words);
}

static void dangle(char **words) {
  for (long round = 0; !is_over(round); round += 1) {
    if (symlink(words[2], words[1]) == 0) done[at] += 1;
    unlink(words[1]);
  }
}

static void second(char **words) {
  char beside[4096];
  snprintf(beside, sizeof beside, "%s.beside", words[1]);
  for (long round = 0; !is_over(round); round += 1) {
    if (link(words[2], beside) == 0 && rename(beside, words[1]) == 0) done[at] += 1;
    int fd = open(beside, O_CREAT | O_EXCL | O_WRONLY, 0644);
    if (fd < 0) continue;
    close(fd);
    rename(beside, words[1]);
  }
}

static void swap_pipe(char **words) {
  mkfifo(words[2], 0644);
  swap(words);
}

static void make_pipe(char **words) {
  if (mkfifo(words[1], 0644) == 0) done[at] += 1;
}

static void shift(char **words) {
  for (long round = 0; !is_over(round); round += 1) {
    if (rename(words[1], words[2]) == 0) done[at] += 1;
    rename(words[2], words[1]);
  }
}

/* Takes `\n` in a text for a line feed. */
static size_t unescape(const char *text, char *into) {
  size_t length = 0;
  for (; *text != '\0' && length < TEXT_MAX - 1; text += 1) {
    if (text[0] == '\\' && text[1] == 'n') {
      into[length++] = '\n';
      text += 1;
    } else into[length++] = *text;
  }
  return length;
}

static void put(const char *name, const char *text) {
  static char content[TEXT_MAX];
  size_t length = unescape(text, content);
  int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_NONBLOCK, 0755);
  if (fd < 0) return;
  if (write(fd, content, length) == (ssize_t)length) done[at] += 1;
  close(fd);
}

static void plant(char **words) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", words[1]);
  for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(folder, 0755);
    *slash = '/';
  }
  put(words[1], words[2]);
}

static void write_often(char **words) {
  for (long round = 0; !is_over(round); round += 64) {
    put(words[1], words[2]);
    usleep(200);
  }
}

static void show(char **words) {
  char content[4096];
  for (long round = 0; !is_over(round); round += 1) {
    int fd = open(words[1], O_RDONLY | O_NONBLOCK);
    if (fd < 0) continue;
    ssize_t length = read(fd, content, sizeof content - 1);
    close(fd);
    if (length <= 0) continue;
    content[length] = '\0';
    printf("%s: %s\n", words[1], content);
    done[at] += 1;
    return;
  }
}

static void beat(char **words) {
  for (long round = 0; !is_over(round); round += 64) {
    int fd = open(words[1], O_CREAT | O_APPEND | O_WRONLY, 0644);
    if (fd >= 0 && write(fd, ".", 1) == 1) done[at] += 1;
    close(fd);
    usleep(1000);
  }
}

static const struct {
  const char *name;
  int words;
  void (*act)(char **words);
} ACTS[] = {
    {"swap", 3, swap},       {"turn", 4, turn},     {"relink", 4, relink},    {"trigger", 4, trigger},
    {"gone", 4, gone},        {"opened", 5, opened}, {"react", 4, react},
    {"dangle", 3, dangle},   {"second", 3, second}, {"pipe", 3, swap_pipe},   {"fifo", 2, make_pipe},   {"shift", 3, shift},
    {"plant", 3, plant},     {"write", 3, write_often}, {"show", 2, show},    {"beat", 2, beat},
};

static void perform(struct act *act) {
  for (size_t index = 0; index < sizeof ACTS / sizeof *ACTS; index += 1)
    if (strcmp(ACTS[index].name, act->words[0]) == 0 && act->count >= ACTS[index].words) {
      if (ACTS[index].act != opened && ACTS[index].act != react) begin();
      ACTS[index].act(act->words);
      fflush(stdout);
      _exit(0);
    }
  begin();
  fprintf(stderr, "what is %s?\n", act->words[0]);
  _exit(2);
}

/* The last word of an act has the rest of the line. */
static void split(char *line, struct act *act, int most) {
  act->count = 0;
  while (*line != '\0' && act->count < most) {
    act->words[act->count++] = line;
    if (act->count == most) break;
    line = strchr(line, ' ');
    if (line == NULL) break;
    *line++ = '\0';
  }
}

static int words_of(const char *line) {
  return strncmp(line, "plant ", 6) == 0 || strncmp(line, "write ", 6) == 0 ? 3 : WORDS_MAX;
}

int main(int count, char **arguments) {
  static struct act acts[ACTS_MAX];
  static char text[TEXT_MAX];
  int number = 0, stays = 0, fd = count == 2 ? open(arguments[1], O_RDONLY) : -1;
  ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (length < 0) return 2;
  end_ms = now_ms() + 1000;
  snprintf(stop_file, sizeof stop_file, "%s.stop", arguments[1]);
  snprintf(ready_file, sizeof ready_file, "%s.ready", arguments[1]);
  for (char *line = strtok(text, "\n"); line != NULL && number < ACTS_MAX; line = strtok(NULL, "\n")) {
    if (strcmp(line, "leave") == 0) stays = 1;
    else if (strncmp(line, "limit ", 6) == 0) end_ms = now_ms() + atof(line + 6);
    else split(line, &acts[number++], words_of(line));
  }
  done = mmap(NULL, (ACTS_MAX + 1) * sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  fflush(stdout);
  for (at = 0; at < number; at += 1)
    if (fork() == 0) {
      if (stays) setsid();
      perform(&acts[at]);
    }
  while (done[ACTS_MAX] < number) usleep(100);
  close(open(ready_file, O_CREAT | O_WRONLY, 0644));
  while (!stays && (wait(NULL) > 0 || errno == EINTR)) continue;
  for (int index = 0; index < number; index += 1) printf("%s %ld\n", acts[index].words[0], done[index]);
  return 0;
}
