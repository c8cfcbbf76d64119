import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What a package manager gets to see under a name of the service, instead of what lies there. */
export interface LentFile {
  /** Relative to the service. */
  readonly at: string
  readonly bytes: Buffer
}

/** The checked bytes themselves, in folders of the hub's own: the files of the service could be changed meanwhile. */
export interface Lent {
  /** Holds the files, each under its name in the service, and nothing else of it. */
  readonly content: string
  /** Empty, for what is fetched. */
  readonly cache: string
}

/** Lends files for as long as something is done with them. */
export async function lendFiles<Result>(
  files: readonly LentFile[],
  act: (lent: Lent) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-lock-'))
  try {
    const lent = { content: join(folder, 'content'), cache: join(folder, 'cache') }
    mkdirSync(lent.cache)
    for (const { at, bytes } of files) {
      const path = join(lent.content, at)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes, { mode: 0o600 })
    }
    return await act(lent)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
