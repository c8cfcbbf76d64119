import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Hub } from '../../../../operations/hub.ts'
import { ensurePrivateFolder } from '../../../../platform/basics/private-file.ts'
import { writeWhole } from '../../../../platform/basics/write-whole.ts'

/** Keeps a configuration in the hub's own folder, named by its content, and says where. */
export function keepTrustedConfig(hub: Pick<Hub, 'home' | 'system'>, text: string): string {
  const folder = join(hub.home.folder, 'git-configs')
  const path = join(folder, createHash('sha256').update(text).digest('hex'))
  if (!existsSync(path)) {
    ensurePrivateFolder(folder)
    const draft = writePrivate(`${path}.${hub.system.random(6)}`, text)
    renameSync(draft, path)
  }
  return path
}

/** Lends a configuration that must not stay, such as one with a password, for as long as something is done. */
export async function lendConfig<Result>(
  hub: Pick<Hub, 'home' | 'system'>,
  text: string,
  act: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(hub.home.folder, 'git-configs')
  ensurePrivateFolder(folder)
  const path = writePrivate(join(folder, `lent-${hub.system.random(12)}`), text)
  try {
    return await act(path)
  } finally {
    rmSync(path, { force: true })
  }
}

function writePrivate(path: string, text: string): string {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeWhole(file, text)
  } finally {
    closeSync(file)
  }
  return path
}
