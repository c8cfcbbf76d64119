import { writeFileSync } from 'node:fs'

/**
 * Writes a content to an open file, all of it or with an error. On a disk that is almost full one write may
 * take only the first part and say so by nothing but a number.
 */
export function writeWhole(file: number, content: string | Uint8Array): void {
  writeFileSync(file, content)
}
