import type { ServiceTree } from './tree/service-tree.ts'

/** The folders and names that a guard keeps to: plain data, fit to be sent to a worker. All folders are absolute. */
export interface GuardScope {
  /** Read and written. A real folder, not a link. */
  readonly service_root: string
  /** Read only; one that does not exist, or is a link, is no fault: it simply has nothing in it. */
  readonly shared_roots: readonly string[]
  /**
   * What the names of shared folders count from, so that `shared/x` is found; without it, the innermost folder
   * that holds both the service and the shared one. A folder of the service's own with that name goes first.
   */
  readonly project_root?: string
  /**
   * The service and the project are named by their real paths, as seats have them. A link on the way to the service was
   * put there since, and the guard is not opened; a shared folder behind one has nothing in it.
   */
  readonly is_real?: boolean
  /** Folders or files closed to every tool even where they lie below a root, such as the hub's own home. */
  readonly closed_paths?: readonly string[]
  /** Where set, only what lies in top folders of these names, of the service or of the project, can be reached. */
  readonly only_in?: readonly string[]
  /** Whole names, such as `secrets/` or `.env`, that are closed at any depth, beside the built-in ones. */
  readonly block_patterns: readonly string[]
  /** Folders inside the service in which files with several names are known to be honest. */
  readonly hard_link_stores: readonly string[]
}

/** Why the guard does not let a call through. */
export type DenialReason =
  | 'outside'
  | 'blocked'
  | 'read_only'
  | 'hard_link'
  | 'device'
  | 'special_file'
  | 'link_loop'
  | 'changed'
  | 'role'
  | 'repository'

/** Refused for safety. The message is the same whether or not the thing exists. */
export class GuardDenied extends Error {
  override readonly name = 'GuardDenied'
  readonly reason: DenialReason
  /** The path as the caller wrote it. */
  readonly path: string
  constructor(reason: DenialReason, path: string) {
    super(`guard: ${reason}`)
    this.reason = reason
    this.path = path
  }
}

export type FileFaultCode =
  | 'ValidationError'
  | 'FileNotFound'
  | 'FileTooLarge'
  | 'IsADirectory'
  | 'NotADirectory'
  | 'PathTooLong'
  | 'NotSupported'
  | 'IOError'

/** An honest failure inside the scope: nothing there, too large, a folder instead of a file. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
  readonly code: FileFaultCode
  readonly path: string
  constructor(code: FileFaultCode, path: string, message: string) {
    super(message)
    this.code = code
    this.path = path
  }
}

/** An extended attribute of a file. */
export interface FileAttribute {
  readonly name: string
  readonly value: Buffer
}

/** Whose file it is and who may use it. */
export interface FileRights {
  /** Permission bits. */
  readonly mode: number
  /** Without them, whoever writes the file owns it. */
  readonly uid?: number
  readonly gid?: number
  /** Access control lists and whatever else is noted at the file; without them, a new file has its folder's. */
  readonly attributes?: readonly FileAttribute[]
}

export interface FoundFile extends FileRights {
  readonly bytes: Buffer
}

export interface ListedEntry {
  /** Relative to the service (or `shared-folder/…` relative to the project), with `/`; fit to be read again. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link'
  readonly size: number
}

/**
 * A file met on a walk, good until the visit returns. `read` opens and checks it then; it answers nothing for
 * one that may not be read.
 */
export interface WalkedFile {
  readonly path: string
  /** At most `max_bytes`; a larger, vanished or refused file gives nothing. */
  read(max_bytes: number): Buffer | undefined
  /** Checks again, with the barrier against swapped hard links, that what was read lies in the scope. */
  confirm(): boolean
}

/** What a walk through folders could not show. */
export interface WalkEnd {
  /** Whether a limit on entries or depth kept it from meeting them all. */
  readonly capped: boolean
  /** How many files and folders have a name that no path can hold: control characters, or bytes that are no text. */
  readonly unnameable: number
}

/** A file that is written and on the disk, but not under its name yet. */
export interface PreparedFile {
  /** Puts it under a name of its folder, in place of whatever was there. */
  putAs(name: string): void
  /** Must be called in any case; what was not put anywhere is gone then. */
  close(): void
}

/** Numbers of files are used again; the time of birth tells a new file from the one that had its number before. */
export interface ThingIdentity {
  readonly dev: bigint
  readonly ino: bigint
  readonly born_ns: bigint
}

export function isSameThing(one: ThingIdentity | undefined, other: ThingIdentity): boolean {
  return one?.ino === other.ino && one.born_ns === other.born_ns && one.dev === other.dev
}

/** The folder a file is to be changed in, held open: names below are single names, never paths. */
export interface HeldFolder {
  /** The last part of the path that was asked for. */
  readonly name: string
  /** Where the file is, relative to the service. */
  readonly path: string
  read(name: string, max_bytes: number): FoundFile | undefined
  /** The same with its extended attributes, for a file that is to be replaced by one with the same rights. */
  readWithRights(name: string, max_bytes: number): FoundFile | undefined
  /** Whether a name still has just this content and mode. Shows nothing to anyone, so no barrier is needed. */
  hasStill(name: string, file: FoundFile): boolean
  /** Makes a file that must not exist yet; answers false when it does. */
  createNew(name: string, bytes: Uint8Array, mode: number): boolean
  /** Writes beside the name, syncs, and renames over it; keeps nothing beside it on failure. */
  replace(name: string, bytes: Uint8Array, mode: number): void
  /** Does the slow part of `replace` while others work: what remains is one rename. */
  prepare(bytes: Uint8Array, rights: FileRights): Promise<PreparedFile>
  /** When the name was last changed and which file it is, without following a link. */
  stat(name: string): (ThingIdentity & { readonly mtime_ms: number }) | undefined
  rename(from: string, to: string): boolean
  unlink(name: string): boolean
  close(): void
}

/** The only way of the toolbox to the file system: gives out contents and held folders, never paths to open. */
export interface Guard {
  readFile(path: string, max_bytes: number): FoundFile
  /** Creates missing folders, after all names were checked; keeps the rights and attributes of a file that exists. */
  writeFile(path: string, bytes: Uint8Array): { path: string; size: number; created: boolean }
  deleteFile(path: string): { path: string }
  list(path: string, options: { recursive: boolean; limit: number }): WalkEnd & { entries: ListedEntry[] }
  /** Visits the files below a folder, or the one file; links are not followed, closed names not entered. */
  walk(path: string, options: { recursive: boolean }, visit: (file: WalkedFile) => 'go_on' | 'stop'): WalkEnd
  /** Holds the folder of a file that is to be changed in place. */
  holdFolder(path: string): HeldFolder
  /** Where a path in the service really leads, relative to the service; it need not exist. For commands' arguments. */
  locate(path: string): { path: string; exists: boolean }
  /** Works on the files of the service as version control has them; nothing of it may be kept. */
  inTree<Result>(work: (tree: ServiceTree) => Result): Result
  /** Whether a folder is the one of the service, as the guard holds it now. */
  holdsRoot(folder: Pick<ThingIdentity, 'dev' | 'ino'>): boolean
  /** Checks a path for a call as read or write would, without doing anything. */
  check(path: string, access: 'read' | 'write'): void
  close(): void
}
