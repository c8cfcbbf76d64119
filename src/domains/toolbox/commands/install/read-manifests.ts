import { basename } from 'node:path'
import { FileFault } from '../../../../platform/guard/guard.ts'
import { ToolFault } from '../../tool-fault.ts'
import type { CommandCall } from '../command-call.ts'
import { MANIFEST_BYTES_MAX, MANIFESTS_MAX } from '../command-limits.ts'
import { manifestInvalid } from './lock-refusal.ts'

/** How checks read manifests: as the agent's own tools do, and not too many. */
export interface ManifestReader {
  /** Throws FileNotFound where there is none. */
  read(path: string): Buffer
  has(path: string): boolean
  /** The names of folders in a folder. */
  foldersIn(path: string): string[]
}

export function openManifests(call: CommandCall): ManifestReader {
  const found = new Map<string, Buffer | undefined>()
  const find = (path: string): Buffer | undefined => {
    if (found.size >= MANIFESTS_MAX) throw manifestInvalid(path, `is one of more than ${MANIFESTS_MAX}`)
    // Once only: what a later check reads is what an earlier one has passed.
    if (!found.has(path)) found.set(path, findFile(call, path, MANIFEST_BYTES_MAX))
    return found.get(path)
  }
  return {
    read: (path) => {
      const bytes = find(path)
      if (bytes === undefined) throw missingFile(path)
      return bytes
    },
    has: (path) => find(path) !== undefined,
    foldersIn: (path) => {
      const { entries, capped } = call.guard.list(path, { recursive: false, limit: MANIFESTS_MAX })
      if (capped) throw manifestInvalid(path, `holds more than ${MANIFESTS_MAX} folders`)
      return entries.filter(({ kind }) => kind === 'folder').map((entry) => basename(entry.path))
    },
  }
}

/** The bytes of a file of the service, or undefined where there is none. */
export function findFile({ guard }: CommandCall, path: string, max_bytes: number): Buffer | undefined {
  try {
    return guard.readFile(path, max_bytes).bytes
  } catch (error) {
    if (error instanceof FileFault && error.code === 'FileNotFound') return undefined
    throw error
  }
}

export function missingFile(file: string): ToolFault {
  return new ToolFault(
    'FileNotFound',
    `The service has no ${file}.`,
    'Dependencies are installed from a lockfile only. Ask the owner to write and commit one.',
  )
}
