import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Compiles the program that takes too much into a folder, and answers where it is. */
export function buildHog(folder: string, source_name = 'memory-hog.c'): string {
  const program = join(folder, source_name.replace('.c', ''))
  const source = join(import.meta.dirname, source_name)
  execFileSync('gcc', ['-O1', '-pthread', '-o', program, source, '-lrt'], { stdio: 'pipe' })
  return program
}
