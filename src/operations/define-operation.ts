import type { z } from 'zod'
import type { CallReferences } from '../platform/audit/audit-record.ts'
import type { Caller } from '../platform/identity/caller.ts'
import type { GateFlag } from '../platform/policy/gates.ts'
import type { VaultRules } from '../platform/policy/policies.ts'
import type { Reader, Transaction } from '../platform/storage/database.ts'
import type { Authority, ClosedToMcp } from './authority.ts'
import type { Contract } from './contract.ts'
import type { CommonCode, ErrorTable } from './errors.ts'
import type { Hub } from './hub.ts'
import type { Present } from './present/page.ts'

/** `read` changes nothing; the others run in a transaction together with their audit record. */
export type Effect = 'read' | 'create' | 'update' | 'delete'

/** How far a call has come, in a measure of its own that only grows, and in words for whoever waits. */
export type TellProgress = (progress: number, total?: number, message?: string) => void

/** Where a call comes in. */
export type Surface = 'rest' | 'mcp' | 'cli'

/** An output that was checked when it was stored and goes out as its stored text. */
export class StoredJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * The part of a call that reaches outside the hub and so cannot be undone. A handler checks and reserves
 * inside its transaction and answers with this; it is performed after the commit, record included.
 */
export class ActOutside<Output> {
  readonly perform: (signal: AbortSignal) => Promise<Output>
  /** What the handler has changed already, for the audit log. */
  readonly made: Target | undefined
  /** Takes back what the handler has made ready, where the record cannot be written. */
  readonly abandon: (() => Promise<void>) | undefined
  constructor(
    perform: (signal: AbortSignal) => Promise<Output>,
    made?: Target,
    abandon?: () => Promise<void>,
  ) {
    this.perform = perform
    this.made = made
    this.abandon = abandon
  }
}

/** What a caller is told while what it asked for is not done yet: 202, in the form that the operation declares. */
export class NotYet {
  readonly output: unknown
  readonly retry_after_seconds: number
  constructor(output: unknown, retry_after_seconds: number) {
    this.output = output
    this.retry_after_seconds = retry_after_seconds
  }
}

/** What a caller holds up beside its credential, as the headers had it. Proves nothing until checked. */
export interface Presented {
  readonly external_bearer?: string
  /** The grant that the credential itself stands for: taken from the caller, never from a header. */
  readonly own_grant?: string
  readonly grant_id?: string
}

/** Whether a call is made with a grant, good or not. */
export function isWithGrant({ external_bearer, own_grant }: Presented = {}): boolean {
  return external_bearer !== undefined || own_grant !== undefined
}

export interface Context<Input, Code extends string, E extends Effect> {
  readonly input: Input
  readonly caller: Caller
  /** Bound from the credential and the vault header; an input cannot name it. */
  readonly vault_id: string
  readonly rules: VaultRules
  readonly db: E extends 'read' ? Reader : Transaction
  readonly hub: Hub
  readonly now: Date
  readonly presented: Presented
  /** Whether the call came in under a hosted name rather than on loopback. */
  readonly hosted: boolean
  readonly surface: Surface
  /** The address under which the caller knows the hub, such as `http://127.0.0.1:4747`. */
  readonly origin: string
  /** Where the call came from, for limits on attempts. */
  readonly address: string
  isGateOn(flag: GateFlag): boolean
  /** How long the caller would wait for a person; undefined where it has not said. */
  readonly patience_seconds: number | undefined
  /** Tells the caller that its call goes on, where it wants to hear so. */
  progress: TellProgress
  readonly isProgressWanted: boolean
  /**
   * Waits within `check` for something that may take long. A lock or the end of the credential ends it, and what was
   * looked up before is asked anew after it: the time and the rules are those of the end.
   */
  holdUp<Output>(wait: (signal: AbortSignal) => Promise<Output>): Promise<Output>
  /** What the call is known by in its answer and its records. */
  requestId(): string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Has the record of the call name these, however it ends: only what was looked up, never what was sent. */
  tell(references: Partial<CallReferences>): void
  /** Has the record of a call that is let through say under this code that it was no act of its own. */
  mark(code: string): void
  /** Keeps one more audit record beside that of a change, in the same transaction, under this name. */
  note(event: string, target: Target): void
  /** Ends the call with one of the operation's declared codes. */
  refuse(code: Code | CommonCode, reason?: string): never
}

/** A thing by its kind and id. */
export interface Target {
  kind: string
  id: string
}

type Handler<Input, Output, Code extends string, E extends Effect, Found> = (
  context: Context<Input, Code, E>,
  found: Found,
) => Promise<Output | StoredJson | ActOutside<Output> | NotYet>

interface Declaration<
  Input extends z.ZodObject,
  Output,
  Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found,
  Shown,
> {
  /** Snake case; also the MCP tool's name. */
  name: string
  /** One sentence, for every surface's help. */
  summary: string
  /** All that a model has to know to use it, where a sentence is not enough. */
  description?: string
  effect: E
  /** Whether calling it twice is the same as once. Reads and deletes are; say so for others. */
  idempotent?: boolean
  authority: A
  /** What must be switched on. A policy that forbids it altogether is told first, where it has its own code. */
  gate?: { flag: GateFlag; whenOff: keyof Errors & string; whenForbidden?: keyof Errors & string }
  /** The code for a call under a host name that is not the hub's, where the contract wants its own. */
  whenHostDenied?: keyof Errors & string
  /** `METHOD /path/{parameter}`. Left out: not reachable over REST. */
  rest?: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  /** An MCP tool. An operation of the owner's can never be one. */
  mcp?: A extends ClosedToMcp ? never : true
  /** What it answers while it waits for a person: a `NotYet`. */
  pending?: z.ZodType
  /** The status of a success where it is not 201 for what is created and else 200; 204 sends no body. */
  status?: 200 | 202 | 204
  /** `noun verb <positional>`; the other inputs become flags. */
  cli?: string
  errors: Errors
  /** What the call is about, for the audit log: an id that has been checked to be one. */
  target?: (input: z.output<Input>, rules: VaultRules) => Target | undefined
  /** What the call has made, for the audit log: stands in its record instead of the target. */
  made?: (output: NoInfer<Output>) => Target
  /**
   * Which grant a call was made with, for the record of one that was refused before its handler looked: by what the
   * caller presents, whether it still counts or not.
   */
  references?: (call: {
    db: Reader
    vault_id: string
    presented: Presented
  }) => Promise<Partial<CallReferences> | undefined>
  /** Changes nothing in the store itself: it checks, is recorded, and then acts outside the hub. */
  outward?: boolean
  /** It can reach what is neither of the hub nor of its machine. MCP clients are told, for some ask a person then. */
  openWorld?: boolean
  /** Anybody may ask for it, and it opens nothing: what strangers ask for beyond some records is counted in one. */
  isAsking?: boolean
  /** It opens something: at the command line on the home it takes the owner in person, where they can prove to be. */
  opens?: boolean
  /** The owner may still do it while everything is locked. */
  whileLocked?: boolean
  /** May wait for something to happen; it stops waiting when its caller leaves or the hub stops. */
  waits?: boolean
  /** A read that tells the owner of damage: it is answered even where the audit log takes no record any more. */
  whileDamaged?: E extends 'read' ? boolean : never
  /** Where its answers follow another form than the hub's own. */
  contract?: Contract
  /** Keys that a caller may send and that count for nothing. */
  ignores?: readonly string[]
  /** The owner may send a whole file in its input, and so a larger body than others. */
  takesFile?: boolean
  /** The code for an input of the wrong form, where the contract wants its own. */
  whenInvalid?: keyof Errors & string
  input: Input
  output: z.ZodType<Shown, Output>
  /** How the command line shows an answer to a person, where its plain fields would not do. Loaded when needed. */
  present?: () => Promise<Present<NoInfer<Shown>>>
  /**
   * Finds what the handler needs and whatever speaks against the call, before its transaction begins, so
   * that others wait less. The handler must still decide bindingly what may change in between.
   */
  check?: (context: Context<z.output<Input>, keyof Errors & string, 'read'>) => Promise<Found>
  /** What has to be there before the transaction begins, such as seeded starter flows. */
  prepare?: (context: { hub: Hub; vault_id: string }) => Promise<void>
  handle: Handler<z.output<Input>, Output, keyof Errors & string, E, NoInfer<Found>>
}

/** An operation as the surfaces and the pipeline read it. */
export interface Operation {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly effect: Effect
  readonly idempotent: boolean
  readonly authority: Authority
  readonly gate: { flag: GateFlag; whenOff: string; whenForbidden?: string } | undefined
  readonly whenHostDenied: string | undefined
  readonly rest: string | undefined
  readonly mcp: boolean
  readonly status: number
  readonly cli: string | undefined
  readonly errors: ErrorTable
  readonly target: ((input: never, rules: VaultRules) => Target | undefined) | undefined
  readonly made: ((output: never) => Target) | undefined
  readonly references: Declaration<
    z.ZodObject,
    unknown,
    ErrorTable,
    Authority,
    Effect,
    unknown,
    unknown
  >['references']
  readonly outward: boolean
  readonly openWorld: boolean
  readonly isAsking: boolean
  readonly opens: boolean
  readonly whileLocked: boolean
  readonly waits: boolean
  readonly whileDamaged: boolean
  readonly contract: Contract | undefined
  readonly ignores: readonly string[]
  readonly takesFile: boolean
  readonly whenInvalid: string | undefined
  readonly input: z.ZodObject
  readonly output: z.ZodType
  readonly pending: z.ZodType | undefined
  readonly present: (() => Promise<Present<never>>) | undefined
  readonly check: ((context: Context<never, string, 'read'>) => Promise<unknown>) | undefined
  readonly prepare: ((context: { hub: Hub; vault_id: string }) => Promise<void>) | undefined
  readonly handle: (context: Context<never, string, Effect>, found: never) => Promise<unknown>
}

/** Defines an operation once; every surface reads its route, tool, command and documents off the result. */
export function defineOperation<
  Input extends z.ZodObject,
  Output,
  const Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found = undefined,
  Shown = unknown,
>(declaration: Declaration<Input, Output, Errors, A, E, Found, Shown>): Operation {
  return {
    ...declaration,
    description: declaration.description ?? declaration.summary,
    idempotent: declaration.idempotent ?? (declaration.effect === 'read' || declaration.effect === 'delete'),
    gate: declaration.gate,
    whenHostDenied: declaration.whenHostDenied,
    rest: declaration.rest,
    mcp: declaration.mcp ?? false,
    status: declaration.status ?? (declaration.effect === 'create' ? 201 : 200),
    cli: declaration.cli,
    target: declaration.target as Operation['target'],
    made: declaration.made as Operation['made'],
    references: declaration.references,
    outward: declaration.outward ?? false,
    openWorld: declaration.openWorld ?? false,
    isAsking: declaration.isAsking ?? false,
    opens: declaration.opens ?? false,
    whileLocked: declaration.whileLocked ?? false,
    waits: declaration.waits ?? false,
    whileDamaged: declaration.whileDamaged ?? false,
    contract: declaration.contract,
    ignores: declaration.ignores ?? [],
    takesFile: declaration.takesFile ?? false,
    whenInvalid: declaration.whenInvalid,
    pending: declaration.pending,
    present: declaration.present,
    check: declaration.check as Operation['check'],
    prepare: declaration.prepare,
    handle: declaration.handle as unknown as Operation['handle'],
  }
}
