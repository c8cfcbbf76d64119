/* Swaps things below a folder as fast as it can, until it is told to stop; then prints how often it did.
 *   exchange A B              A and B change places
 *   plant NAME TARGET TRASH   whatever is at NAME is thrown into TRASH, a link to TARGET stands there, and is gone
 *   second NAME SECRET        NAME is in turn a second name of SECRET and an empty file of its own
 * guard-attacker.ts does the same more slowly where there is no compiler. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stopped = 0;
static void stop(int signal) { (void)signal; stopped = 1; }

static void plant(const char *name, const char *target, const char *trash, long round) {
  char thrown[4096];
  snprintf(thrown, sizeof thrown, "%s/%ld", trash, round);
  rename(name, thrown);
  if (symlink(target, name) == 0) unlink(name);
}

static void second(const char *name, const char *secret) {
  char beside[4096];
  snprintf(beside, sizeof beside, "%s.beside", name);
  if (link(secret, beside) == 0) rename(beside, name);
  int fd = open(beside, O_CREAT | O_EXCL | O_WRONLY, 0644);
  if (fd >= 0) {
    close(fd);
    rename(beside, name);
  }
}

int main(int count, char **words) {
  const char *mode = count > 3 ? words[1] : "";
  long round = 0;
  signal(SIGTERM, stop);
  alarm(120);
  puts("ready");
  fflush(stdout);
  for (; !stopped; round += 1) {
    if (strcmp(mode, "exchange") == 0) {
      if (renameat2(AT_FDCWD, words[2], AT_FDCWD, words[3], RENAME_EXCHANGE) != 0) return 3;
    } else if (strcmp(mode, "plant") == 0 && count > 4) plant(words[2], words[3], words[4], round);
    else if (strcmp(mode, "second") == 0) second(words[2], words[3]);
    else return 1;
  }
  printf("%ld\n", round);
  return 0;
}
