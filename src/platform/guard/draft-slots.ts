/** How many nameless files are kept ready. More would only be more that the disk has to find a place for. */
export const STOCK = 16
/** So many replaced files may wait to be closed. */
export const CLOSING = 64
/** Never more are in the ring: what was made for a former folder, and a stock of the new one. */
const RING = 4 * STOCK

/** The places of what the hub and its maker of drafts share. */
export const SLOT = {
  /** Counts the calls to wake up. */
  WAKES: 0,
  IS_ASLEEP: 1,
  /** Whether a file is being made: the folder must stay open as long. */
  IS_AT_WORK: 2,
  /** The folder in which files are to be made; none where it is negative. */
  FOLDER: 3,
  MODE: 4,
  /** Moves on with the folder: what was made for a former one is not for this. */
  AIM: 5,
  /** The aim for which no file could be made. */
  FAILED_AIM: 6,
  /** How many were made and how many of them taken, ever. */
  MADE: 7,
  TAKEN: 8,
  /** How many were given to be closed and how many of them are, ever. */
  GIVEN: 9,
  CLOSED: 10,
} as const

const FIRST = 11
const FIRST_TO_CLOSE = FIRST + 2 * RING
export const SHARED_INTEGERS = FIRST_TO_CLOSE + CLOSING

/** Where the file with this number lies; behind it, the aim that it was made for. */
export function placeOf(number: number): number {
  return FIRST + 2 * (number % RING)
}

/** Where the number of the one that was given to be closed as this one lies. */
export function closingPlaceOf(number: number): number {
  return FIRST_TO_CLOSE + (number % CLOSING)
}
