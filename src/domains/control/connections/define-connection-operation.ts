import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Context, Effect, Operation, Target } from '../../../operations/define-operation.ts'
import type { ErrorTable } from '../../../operations/errors.ts'
import type { Present } from '../../../operations/present/page.ts'
import type { Reader, Transaction } from '../../../platform/storage/database.ts'
import type { JsonObject } from '../connectors/connector.ts'
import { defineOwnerOperation, type OwnerDeclaration } from '../define-owner-operation.ts'
import type { DoneThenOutside } from '../spine/done-then-outside.ts'
import type { Spine } from '../spine/spine.ts'
import { byConnectorErrors, byIdErrors } from './connection-errors.ts'
import type { ConnectionRow, ConnectionStatus } from './connection-store.ts'
import { holdTarget, resolveTarget, type TargetInput } from './resolve-target.ts'

/** Anything that could be meant as an id: what is none of ours is not found, like one of somebody else's. */
export const ConnectionId = z.string().min(1).max(200).describe('The id of the connection')
/** Likewise for a connector. */
export const ConnectorId = z.string().min(1).max(200).describe('The id of the connector')

interface Declaration<
  Extra extends z.ZodRawShape,
  Output,
  Errors extends ErrorTable,
  E extends Effect,
  Shown,
> {
  /** What is done, such as `rename`: part of both operations' names. */
  verb: string
  /** One sentence; `{}` stands for the connection. */
  summary: `${string}{}${string}`
  effect: E
  idempotent?: boolean
  status?: 200 | 202 | 204
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** What follows the connection in the address, such as `/revoke`; empty where it is the connection itself. */
  path: '' | `/${string}`
  /** The command; it names the connection by its id. */
  cli?: string
  errors: Errors
  /** What is sent beside the connection. */
  extra: Extra
  output: z.ZodType<Shown, Output>
  present?: () => Promise<Present<NoInfer<Shown>>>
  /** By connector alone, only connections of this status are meant; active ones unless told otherwise. */
  among?: ConnectionStatus
  /** The owner may still do it while everything is locked. */
  whileLocked?: true
  /** Left out: it leaves no event. */
  spine?: {
    event: `owner_agent.${string}`
    operation: string
    data?(input: z.output<z.ZodObject<Extra>>, output: NoInfer<Output>): JsonObject
  }
  /** The connection is the one that is meant; for a change, nobody else can change it meanwhile. */
  handle(
    context: Context<z.output<z.ZodObject<Extra>>, keyof Errors & string, E>,
    connection: ConnectionRow,
  ): Promise<Output | DoneThenOutside<Output>>
}

/**
 * Defines what is done to one connection, twice: under its own address, and under that of its connector for
 * callers who know no more. The second is refused where it could mean several connections.
 */
export function defineConnectionOperation<
  const Extra extends z.ZodRawShape,
  Output,
  const Errors extends ErrorTable,
  E extends Effect,
  Shown = unknown,
>(declared: Declaration<Extra, Output, Errors, E, Shown>): [Operation, Operation] {
  const one = declared as unknown as AnyDeclaration
  return [defineOne(one, BY_ID), defineOne(one, BY_CONNECTOR)]
}

type AnyDeclaration = Declaration<z.ZodRawShape, unknown, ErrorTable, Effect, unknown>

const BY_ID = {
  prefix: 'owner_connection_',
  address: '/v1/owner/connections/{connection_id}',
  words: 'a connection',
  input: { connection_id: ConnectionId } as z.ZodRawShape,
  errors: byIdErrors as ErrorTable,
}
const BY_CONNECTOR: typeof BY_ID = {
  prefix: 'owner_connector_',
  address: '/v1/owner/connectors/{connector_id}',
  words: 'the only connection of a connector',
  input: { connector_id: ConnectorId },
  errors: byConnectorErrors,
}

function defineOne(declared: AnyDeclaration, by: typeof BY_ID): Operation {
  const { verb, summary, method, path, effect, output, status, cli, idempotent, among, handle } = declared
  type Any = OwnerDeclaration<
    z.ZodObject,
    unknown,
    ErrorTable,
    ReturnType<typeof ownerSurface>,
    Effect,
    undefined
  >
  const declaration: Any = {
    name: `${by.prefix}${verb}`,
    summary: summary.replace('{}', by.words),
    effect,
    authority: ownerSurface(),
    rest: `${method} ${by.address}${path}` as `GET /${string}`,
    ...(status && { status }),
    ...(declared.whileLocked && { whileLocked: true }),
    ...(idempotent !== undefined && { idempotent }),
    ...(cli && by === BY_ID && { cli }),
    errors: { ...by.errors, ...declared.errors },
    input: z.strictObject({ ...by.input, ...declared.extra }),
    output,
    ...(declared.present && { present: declared.present }),
    // By its connector alone or by its id, what is on record is the connection that was found.
    ...(effect !== 'read' && { made: madeOf }),
    ...(declared.spine && { spine: spineOf(declared.spine) }),
    async handle(context) {
      const target = context.input as unknown as TargetInput
      const connection =
        effect === 'read'
          ? await resolveTarget(context.db as Reader, target, among)
          : await holdTarget(context.db as Transaction, target, among)
      return handle(context, connection)
    },
  }
  return defineOwnerOperation(declaration)
}

function madeOf(done: unknown): Target {
  return { kind: 'connection', id: (done as About).connection_id ?? '-' }
}

interface About {
  connection_id?: string
  connector_id?: string
  connector_key?: string
}

function spineOf(declared: NonNullable<AnyDeclaration['spine']>): Spine<Record<string, unknown>, unknown> {
  return {
    ...declared,
    object(input, output) {
      // What was done names its connection; what was not done, whatever was asked for.
      const about = { ...(input as About), ...(output as About | undefined) }
      const { connection_id, connector_key = about.connector_id } = about
      return { type: 'connection', id: connection_id, connection_id, connector_key }
    },
  }
}
