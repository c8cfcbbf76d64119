import { foldAlias } from '../../../../platform/guard/blocked-names.ts'
import { GuardDenied } from '../../../../platform/guard/guard.ts'
import { isHead, isPiece, isRepository } from '../../../../platform/guard/repository-pieces.ts'
import type { Repository } from '../repository/repository.ts'
import { requireSuccess } from '../run/git-outcome.ts'
import { type GitCall, runGit } from '../run/git-run.ts'
import { MAX_LIST_BYTES } from './index-entries.ts'

const SUGGESTION = 'The index is too large to be listed; ask the owner to stage these files.'

/**
 * Refuses to stage what would make a repository of a folder at the owner's next checkout or merge. Its pieces need not lie
 * in the service at the same time to be staged one after the other. A new HEAD is refused in any case: without one there is
 * none. Of the other pieces, those that would complete what is tracked or lies there.
 */
export async function refuseRepositories(
  call: GitCall,
  repository: Repository,
  files: readonly string[],
): Promise<void> {
  const paths = files.map((path) => path.split('/'))
  if (!paths.some((names) => names.some(isPiece))) return
  const listed = await runGit(call, repository, {
    args: ['ls-files', '-z'],
    writes: 'nothing',
    output_bytes: MAX_LIST_BYTES,
  })
  const tracked = requireSuccess(listed, 'git ls-files', SUGGESTION).stdout.split('\0')
  const known = new Set(tracked)
  const made = files.find((path) => isHead(lastOf(path.split('/'))) && !known.has(path))
  if (made !== undefined) throw new GuardDenied('repository', made)
  const all = [...tracked.map((path) => path.split('/')), ...paths]
  for (const folder of foldersOfPieces(paths)) {
    if (isRepository([...namesIn(folder, all), ...namesOnDisk(call, folder)]))
      throw new GuardDenied('repository', [...folder, ''].join('/'))
  }
}

type Names = readonly string[]

/** The folders in which something that is staged has the name of a piece, or lies in one. */
function foldersOfPieces(paths: readonly Names[]): Names[] {
  const found = paths.flatMap((names) =>
    names.flatMap((name, at) => (isPiece(name) ? [names.slice(0, at)] : [])),
  )
  return [...new Map(found.map((folder) => [folder.join('/'), folder])).values()]
}

/** What a folder would have in it, in any spelling of the folder that some file system takes for the same. */
function namesIn(folder: Names, paths: readonly Names[]) {
  const folded = folder.map(foldAlias)
  const below = paths.filter(
    (names) =>
      names.length > folder.length && folded.every((name, at) => foldAlias(names[at] ?? '') === name),
  )
  return below.map((names) => nameAt(names, folder.length))
}

function lastOf(names: Names) {
  return nameAt(names, names.length - 1)
}

function nameAt(names: Names, at: number) {
  return { name: names[at] ?? '', isDirectory: () => at < names.length - 1 }
}

function namesOnDisk({ guard }: GitCall, folder: Names) {
  const found = guard.inTree((tree) => tree.folder([...folder, ''].join('/')))
  return (found?.names ?? []).map(({ name, kind }) => ({ name, isDirectory: () => kind === 'folder' }))
}
