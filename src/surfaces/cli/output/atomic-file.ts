import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeWhole } from '../../../platform/basics/write-whole.ts'
import { CommandFailure } from '../cli-errors.ts'

/** Replaces a file's text in one step: a reader sees the old text or the new one, never a part. */
export function writeFileAtomically(path: string, text: string): void {
  const file = openAtomicFile(path)
  try {
    file.append(text)
    file.commit()
  } finally {
    file.close()
  }
}

/** A file that takes its place only when it is whole. */
export interface AtomicFile {
  append(text: string): void
  /** Puts what was written in its place. */
  commit(): void
  /** Lets go of it; what was not committed is gone. */
  close(): void
}

/** Begins a file beside the one it will replace. */
export function openAtomicFile(path: string): AtomicFile {
  const target = targetOf(path)
  const draft = `${target}.${randomBytes(6).toString('hex')}.tmp`
  const mode = (statSync(target, { throwIfNoEntry: false })?.mode ?? 0o666) & 0o777
  const file = orFail(path, () => openSync(draft, 'wx', mode))
  return {
    append: (text) => orFail(path, () => writeWhole(file, text)),
    commit: () =>
      orFail(path, () => {
        fsyncSync(file)
        renameSync(draft, target)
      }),
    close() {
      closeSync(file)
      rmSync(draft, { force: true })
    },
  }
}

/** A link stays a link: what it points to is replaced. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function orFail<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandFailure(
      'FILE_NOT_WRITTEN',
      `${path} cannot be written (${code ?? 'unknown'}).`,
      'Check that its folder exists and may be written.',
    )
  }
}
