import { closeSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Hub } from '../../../../operations/hub.ts'
import { readOrCreatePrivateFile } from '../../../../platform/basics/private-file.ts'
import { at } from '../../../../platform/guard/kernel/descriptors.ts'
import { openFolder } from '../../../../platform/sandbox/mount-point.ts'
import type { SandboxMount } from '../../../../platform/sandbox/sandbox.ts'
import type { Repository } from './repository.ts'
import { notSupported } from './trusted-config.ts'

/** What git finds in `.git/info` wins over every `.gitattributes`: no file is called binary but for its bytes. */
const ATTRIBUTES = '* !diff\n'

/** Stands in for the repository's `.git/info`, so that nobody can say by an attribute which files have no lines. */
export function plainInfoMount(hub: Pick<Hub, 'home'>, { git_dir }: Repository): SandboxMount {
  const own = join(hub.home.folder, 'git-info', 'attributes')
  readOrCreatePrivateFile(own, () => ATTRIBUTES)
  return { path: requireInfo(git_dir), access: 'read', content_path: dirname(own), is_real: true }
}

/** A repository can do without the folder, but nothing can be mounted where none is. */
function requireInfo(git_dir: string): string {
  const folder = join(git_dir, 'info')
  try {
    const fd = openFolder(git_dir)
    try {
      mkdirSync(at(fd, 'info'), { recursive: true })
    } finally {
      closeSync(fd)
    }
    return folder
  } catch {
    throw notSupported('.git/info is no folder')
  }
}
