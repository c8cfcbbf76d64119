import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import type { Canary } from './canaries.ts'

/** The places that hold what an agent of the service must not see or change. */
export const PLACES = ['sibling', 'secrets', 'git', 'home', 'outside'] as const
export type Place = (typeof PLACES)[number]

/** A project with a service to attack from, what lies around it, and a copy of all of it as it was. */
export interface World extends Disposable {
  readonly base: string
  readonly project: string
  /** Another path of the project, over a link. */
  readonly alias: string
  readonly service: string
  readonly outside: string
  readonly toolchain: string
  readonly homes: readonly [string, string]
  /** A planted program makes this file when the owner's git runs it. */
  readonly ran: string
  readonly canaries: readonly Canary[]
  /** A path of the service, or of the project where it begins with a slash. */
  at(path: string): string
  put(path: string, content: string): void
  /** Where a link in the service has to lead to reach a place. */
  linkTo(place: Place): string
  canaryOf(place: string): Canary
  /** Puts the service and the repository back as they were made. */
  reset(): void
  /** Puts everything back, also what lies outside. */
  restore(): void
}

/** Stands in every file that a swap can lead to, so that an edit finds it wherever it arrives. */
export const EDITABLE = 'a line to edit'
/** A repository outside, beside what else lies there. */
export const FOREIGN = 'foreign'
/** A plan for a second program in the jail, which looks and writes through what may be swapped. */
export const PROBE = 'plans/probe'

/** Writes a file and the folders that it lies in. */
export function writeAt(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Makes a file of the service exactly as long as another: git reads no more than it was told of before. */
export function putAsLong(world: World, path: string, like: string): void {
  world.put(path, `${EDITABLE}\n${'.'.repeat(statSync(world.at(like)).size)}`)
  truncateSync(world.at(path), statSync(world.at(like)).size)
}

/** Puts a link into the service. */
export function putLink(world: World, path: string, target: string): void {
  mkdirSync(dirname(world.at(path)), { recursive: true })
  symlinkSync(target, world.at(path))
}

/** What the owner's git says, with nothing but what a fresh machine has as configuration. */
export function ownerGit(folder: string, ...args: string[]): string {
  return runGit(folder, args)
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8')
}
