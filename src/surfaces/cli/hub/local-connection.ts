import type { Operation } from '../../../operations/define-operation.ts'
import { type Hub, openHub } from '../../../operations/hub.ts'
import { needsPresence } from '../../../operations/presence.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { homeAt } from '../../../platform/basics/home.ts'
import { plainLog } from '../../../platform/basics/plain-log.ts'
import { realSystem } from '../../../platform/basics/system.ts'
import { localCaller } from '../../../platform/identity/caller.ts'
import { NO_TRACING, tracingFor } from '../../../platform/tracing/tracing.ts'
import type { ConnectionTokens } from '../../../platform/upstream/connection-tokens.ts'
import type { Invocation } from '../command.ts'
import type { Connection } from './connection.ts'
import { placeOfHome } from './hub-place.ts'
import { openingFailure } from './opening-failure.ts'
import { presentedBy } from './presented.ts'
import { requireHome } from './require-home.ts'

/** Opens the home's hub in this process. */
export async function connectLocally(invocation: Invocation): Promise<Connection> {
  const hub = await openHome(invocation)
  return {
    async call(operation, input) {
      const caller = localCaller('knowtation')
      const isAsked = await needsPresence(hub, { operation, caller })
      const answer = await runOperation(hub, {
        operation,
        surface: 'cli',
        caller,
        presence: isAsked ? await prove(invocation, hub, operation, input) : undefined,
        address: 'local',
        vault: invocation.globals.vault,
        input,
        presented: presentedBy(invocation.env),
      })
      const isSaid = answer.ok && operation.effect !== 'create'
      return isSaid ? answer : { ...answer, place: await placeOfHome(hub, invocation) }
    },
    close: () => hub.close(),
  }
}

// Loaded when needed: most commands open nothing.
async function prove(invocation: Invocation, hub: Hub, { name: operation }: Operation, input: object) {
  const { provePresence } = await import('./prove-presence.ts')
  return provePresence(invocation, hub, { operation, vault_id: invocation.globals.vault ?? 'default', input })
}

/** Opens the home that the command line names, or says in one sentence why it cannot. */
export async function openHome(
  invocation: Invocation,
  { isWatched, ...more }: { acceptLoss?: boolean; isWatched?: boolean } = {},
): Promise<Hub> {
  const { command, globals, env, io } = invocation
  if (!command.beginsHome) requireHome(invocation)
  const log = plainLog((line) => io.stderr.write(line), realSystem.now)
  try {
    const home = homeAt(globals.home, env)
    // A single command is over before anybody could look at it.
    const tracing = isWatched ? await tracingFor(env) : NO_TRACING
    return await openHub({
      home,
      env,
      system: realSystem,
      log,
      findOperation,
      connectionTokens,
      tracing,
      ...more,
    })
  } catch (error) {
    throw openingFailure(error)
  }
}

/** Loaded only when a tool has a connection that gives it tokens. */
function connectionTokens(hub: Hub): ConnectionTokens {
  const load = async () =>
    (await import('../../../domains/control/authorization/connection-tokens.ts')).connectionTokens(hub)
  return {
    find: async (...asked) => (await load()).find(...asked),
    refuse: (...refused) => void load().then((tokens) => tokens.refuse(...refused)),
  }
}

/** Loaded only when an operation is served by another one. */
async function findOperation(name: string): Promise<Operation | undefined> {
  const { allOperations } = await import('../../../domains/index.ts')
  return allOperations.find((operation) => operation.name === name)
}
