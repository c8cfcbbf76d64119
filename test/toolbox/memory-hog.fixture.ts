import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Compiles the program that takes too much into a folder, and answers where it is. */
export function buildHog(folder: string): string {
  const program = join(folder, 'hog')
  const source = join(import.meta.dirname, 'memory-hog.c')
  execFileSync('gcc', ['-O1', '-pthread', '-o', program, source], { stdio: 'pipe' })
  return program
}
