import { close, closeSync } from 'node:fs'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CLOSING, closingPlaceOf, placeOf, SHARED_INTEGERS, SLOT, STOCK } from './draft-slots.ts'
import { holdAgain, kernelCalls } from './folder-calls.ts'

/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./draft-maker${extname(import.meta.url)}`, import.meta.url)
const THREAD_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }
/** So many drafts in one folder, none of them long after the one before, and it is worth making them ahead. */
const WORTH_AFTER = 32
const LONG_MS = 100
/** What nobody takes for so long is let go of, and later the thread is. */
const STOCK_IDLE_MS = 2_000
const THREAD_IDLE_MS = 30_000
const LOOK_EVERY_MS = 500
/** Making one file takes less than this. */
const MAKING_MS = 1

/** A folder in which drafts are wanted, and with which rights. */
interface Place {
  readonly dev: bigint
  readonly ino: bigint
  readonly mode: number
}

/** A thread, and the folder that it makes files in. */
interface Maker {
  readonly worker: Worker
  readonly shared: Int32Array
  folder: (Place & { readonly fd: number }) | undefined
  last_taken_ms: number
}

let wish: (Place & { times: number; last_ms: number }) | undefined
let maker: Maker | undefined

/**
 * A new file in a held folder that has no name yet; nothing where none is ready. Some disks look for a place for a new
 * file longer than all the rest of replacing one takes: where files are replaced one after the other, a thread does so
 * ahead. It was made in this very folder, and so has the labels and default rights that new files have there.
 */
export function takeDraft(folder_fd: number, mode: number): number | undefined {
  const look = kernelCalls()?.look(folder_fd, '')
  if (!look) return undefined
  const place = { dev: look.dev, ino: look.ino, mode }
  if (maker && isSame(maker.folder, place)) return take(maker)
  if (isWorthIt(place)) tryToAim(place, folder_fd)
  return undefined
}

/** A thread or a descriptor may not be had: then files are made as ever. */
function tryToAim(place: Place, folder_fd: number): void {
  wish = undefined
  try {
    maker ??= startMaker()
    aim(maker, { ...place, fd: holdAgain(folder_fd) })
  } catch {
    // Tried again when it was worth it as often again.
  }
}

/**
 * Closes a file that was replaced. The kernel frees then what it had on the disk, which takes several times as long as
 * the replacing and is nothing that anybody has to wait for: the thread that makes drafts does it, where it is at work.
 */
export function closeReplaced(fd: number): void {
  if (!maker?.folder || !giveToClose(maker.shared, fd)) close(fd, () => {})
}

/** The thread is not woken for it: it is as soon as drafts run short, or when it is looked for what is left. */
function giveToClose(shared: Int32Array, fd: number): boolean {
  const number = Atomics.load(shared, SLOT.GIVEN)
  if (number - Atomics.load(shared, SLOT.CLOSED) >= CLOSING) return false
  Atomics.store(shared, closingPlaceOf(number), fd)
  Atomics.store(shared, SLOT.GIVEN, number + 1)
  return true
}

function isSame(one: Place | undefined, { dev, ino, mode }: Place): boolean {
  return one?.ino === ino && one.dev === dev && one.mode === mode
}

function isWorthIt(place: Place): boolean {
  const now_ms = performance.now()
  const goes_on = wish && isSame(wish, place) && now_ms - wish.last_ms <= LONG_MS
  wish = { ...place, times: goes_on && wish ? wish.times + 1 : 1, last_ms: now_ms }
  return wish.times >= WORTH_AFTER
}

function take(one: Maker): number | undefined {
  const { shared } = one
  one.last_taken_ms = performance.now()
  let found = takeNext(shared)
  while (found && found.aim !== Atomics.load(shared, SLOT.AIM)) {
    closeSync(found.fd)
    found = takeNext(shared)
  }
  wakeIfNeeded(shared)
  return found?.fd
}

function takeNext(shared: Int32Array): { fd: number; aim: number } | undefined {
  const number = Atomics.load(shared, SLOT.TAKEN)
  if (number === Atomics.load(shared, SLOT.MADE)) return undefined
  const place = placeOf(number)
  const found = { fd: Atomics.load(shared, place), aim: Atomics.load(shared, place + 1) }
  Atomics.store(shared, SLOT.TAKEN, number + 1)
  return found
}

/** To wake a thread costs several times as much as to see that it is awake. */
function wakeIfNeeded(shared: Int32Array): void {
  const left = Atomics.load(shared, SLOT.MADE) - Atomics.load(shared, SLOT.TAKEN)
  if (left > STOCK / 2 || Atomics.load(shared, SLOT.IS_ASLEEP) === 0) return
  if (Atomics.load(shared, SLOT.FAILED_AIM) === Atomics.load(shared, SLOT.AIM)) return
  wake(shared)
}

function wake(shared: Int32Array): void {
  Atomics.add(shared, SLOT.WAKES, 1)
  Atomics.notify(shared, SLOT.WAKES)
}

function startMaker(): Maker {
  const buffer = new SharedArrayBuffer(SHARED_INTEGERS * Int32Array.BYTES_PER_ELEMENT)
  const shared = new Int32Array(buffer)
  shared[SLOT.FOLDER] = -1
  const worker = new Worker(PROGRAM, {
    workerData: buffer,
    env: {},
    execArgv: [],
    resourceLimits: THREAD_LIMITS,
    stdout: true,
    stderr: true,
  })
  worker.unref()
  const started: Maker = { worker, shared, folder: undefined, last_taken_ms: performance.now() }
  const timer = setInterval(() => letGoOfUnused(started), LOOK_EVERY_MS).unref()
  worker.on('error', () => {})
  worker.on('exit', () => {
    clearInterval(timer)
    if (maker === started) maker = undefined
    Atomics.store(shared, SLOT.IS_AT_WORK, 0)
    aim(started, undefined)
    closeLeft(shared)
  })
  return started
}

/** What an ended thread has not closed. */
function closeLeft(shared: Int32Array): void {
  const [from, to] = [Atomics.load(shared, SLOT.CLOSED), Atomics.load(shared, SLOT.GIVEN)]
  for (let number = from; number < to; number++) close(Atomics.load(shared, closingPlaceOf(number)), () => {})
}

function letGoOfUnused(one: Maker): void {
  if (Atomics.load(one.shared, SLOT.GIVEN) > Atomics.load(one.shared, SLOT.CLOSED)) wake(one.shared)
  const idle_ms = performance.now() - one.last_taken_ms
  if (idle_ms > STOCK_IDLE_MS && one.folder) aim(one, undefined, one.last_taken_ms)
  if (idle_ms > THREAD_IDLE_MS) void one.worker.terminate()
}

/** From now on files are made in this folder, or in none; what was made for the former one is let go of. */
function aim(one: Maker, folder: Maker['folder'], last_taken_ms = performance.now()): void {
  const { shared } = one
  const former = one.folder
  Atomics.store(shared, SLOT.FOLDER, -1)
  Atomics.add(shared, SLOT.AIM, 1)
  for (let made = takeNext(shared); made; made = takeNext(shared)) closeSync(made.fd)
  if (former) closeUnused(shared, former.fd)
  one.folder = folder
  one.last_taken_ms = last_taken_ms
  if (!folder) return
  Atomics.store(shared, SLOT.MODE, folder.mode)
  Atomics.store(shared, SLOT.FOLDER, folder.fd)
  wakeIfNeeded(shared)
}

/** The number of a closed folder is soon another's, and the thread may be about to use it still. */
function closeUnused(shared: Int32Array, folder_fd: number): void {
  if (Atomics.load(shared, SLOT.IS_AT_WORK) === 0) closeSync(folder_fd)
  else setTimeout(() => closeUnused(shared, folder_fd), MAKING_MS).unref()
}
