import { workerData } from 'node:worker_threads'
import { openCLibrary } from '../basics/c-library.ts'
import { MAKE_NAMELESS } from './descriptors.ts'
import { closingPlaceOf, placeOf, SLOT, STOCK } from './draft-slots.ts'
import { O_CLOEXEC } from './kernel-calls.ts'

/**
 * The program of the thread that makes nameless files ahead, and closes those that were replaced. It has nothing of its own but the numbers that it shares
 * with the hub: a folder that is held, a mode, and where to put the descriptors of what it has made.
 */
const shared = new Int32Array(workerData as SharedArrayBuffer)
const library = openCLibrary()
const openat = library.func('int openat(int folder, const char *name, int flags, uint32_t mode)')
const close = library.func('int close(int fd)')
const load = (slot: number) => Atomics.load(shared, slot)
const store = (slot: number, value: number) => void Atomics.store(shared, slot, value)

for (;;) {
  const wakes = load(SLOT.WAKES)
  closeAll()
  while (load(SLOT.MADE) - load(SLOT.TAKEN) < STOCK && makeOne()) closeAll()
  store(SLOT.IS_ASLEEP, 1)
  Atomics.wait(shared, SLOT.WAKES, wakes)
  store(SLOT.IS_ASLEEP, 0)
}

function closeAll(): void {
  for (let number = load(SLOT.CLOSED); number < load(SLOT.GIVEN); number++) {
    const fd = load(closingPlaceOf(number))
    // Counted first: a thread that is ended in between leaves one open, and none is closed twice.
    store(SLOT.CLOSED, number + 1)
    close(fd)
  }
}

function makeOne(): boolean {
  store(SLOT.IS_AT_WORK, 1)
  // The aim first: a folder that is read after it is never one of an earlier aim.
  const aim = load(SLOT.AIM)
  const folder_fd = load(SLOT.FOLDER)
  const fd = folder_fd < 0 ? -1 : openat(folder_fd, '.', MAKE_NAMELESS | O_CLOEXEC, load(SLOT.MODE))
  if (fd >= 0) hand(fd, aim)
  else if (folder_fd >= 0) store(SLOT.FAILED_AIM, aim)
  store(SLOT.IS_AT_WORK, 0)
  return fd >= 0
}

function hand(fd: number, aim: number): void {
  const number = load(SLOT.MADE)
  store(placeOf(number), fd)
  store(placeOf(number) + 1, aim)
  store(SLOT.MADE, number + 1)
}
