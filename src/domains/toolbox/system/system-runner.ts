import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandOutcome } from '../../../platform/sandbox/sandbox.ts'
import { SYSTEM_PATH } from './find-binary.ts'
import { type GroupOptions, runGroup } from './run-group.ts'

/** Runs commands that manage the machine itself, outside any sandbox. */
export interface SystemRunner {
  /** The folders that programs are taken from, and the only ones. */
  readonly path: readonly string[]
  readonly is_root: boolean
  /** Runs an argument list whose program is an absolute path; no shell, no input, a clean environment. */
  run(argv: readonly string[], options: SystemRunOptions): Promise<CommandOutcome>
}

export interface SystemRunOptions extends Pick<GroupOptions, 'timeout_ms' | 'signal'> {
  readonly env?: Readonly<Record<string, string>>
}

/** The machine's own runner; a test brings its own folders. */
export function systemRunner(chosen: Partial<Pick<SystemRunner, 'path' | 'is_root'>> = {}): SystemRunner {
  const path = chosen.path ?? SYSTEM_PATH
  return {
    path,
    is_root: chosen.is_root ?? process.getuid?.() === 0,
    async run(argv, { env = {}, ...options }) {
      // Programs that keep caches and settings in their home get one that is empty and goes with them.
      const home = mkdtempSync(join(tmpdir(), 'knowtation-system-'))
      try {
        const clean = { PATH: path.join(':'), HOME: home, LANG: 'C.UTF-8', ...env }
        return await runGroup(argv, { ...options, env: clean, cwd: '/' })
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    },
  }
}
