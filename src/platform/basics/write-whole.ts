import { writeFileSync } from 'node:fs'

/**
 * Writes a text to an open file, all of it or with an error. On a disk that is almost full one write may
 * take only the first part of a text and say so by nothing but a number.
 */
export function writeWhole(file: number, text: string): void {
  writeFileSync(file, text)
}
