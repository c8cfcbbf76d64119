import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Hub } from '../../../operations/hub.ts'
import { readOrCreatePrivateFile } from '../../../platform/basics/private-file.ts'
import type { SandboxMount } from '../../../platform/sandbox/sandbox.ts'
import type { Repository } from './repository.ts'
import { notSupported } from './trusted-config.ts'

/** What git finds in `.git/info` wins over every `.gitattributes`: no file is called binary but for its bytes. */
const ATTRIBUTES = '* !diff\n'

/** Stands in for the repository's `.git/info`, so that nobody can say by an attribute which files have no lines. */
export function plainInfoMount(hub: Pick<Hub, 'home'>, { git_dir }: Repository): SandboxMount {
  const own = join(hub.home.folder, 'git-info', 'attributes')
  readOrCreatePrivateFile(own, () => ATTRIBUTES)
  return { path: requireInfo(git_dir), access: 'read', content_path: dirname(own) }
}

/** A repository can do without the folder, but nothing can be mounted where none is. */
function requireInfo(git_dir: string): string {
  const folder = join(git_dir, 'info')
  try {
    mkdirSync(folder, { recursive: true })
    return folder
  } catch {
    throw notSupported('.git/info is no folder')
  }
}
