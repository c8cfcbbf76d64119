import type { Operation } from '../../../operations/define-operation.ts'
import type { ErrorTable } from '../../../operations/errors.ts'
import type { Answer } from '../../../operations/run-operation.ts'
import type { Invocation } from '../command.ts'
import type { HubPlace } from './hub-place.ts'

/** What a command learns of a finished call, wherever it was carried out. */
export interface CallAnswer extends Pick<Answer, 'ok' | 'text' | 'code' | 'retry_after_seconds'> {
  /** Where the hub is, for answers that a person has to do something with. */
  readonly place?: HubPlace | undefined
  /** What the operation may refuse with. */
  readonly errors?: ErrorTable
}

/** A way to a hub: the one in the home's files, or one that runs elsewhere. */
export interface Connection {
  call(operation: Operation, input: Record<string, unknown>): Promise<CallAnswer>
  close(): Promise<void>
}

/** Does something with a hub, and lets go of it whatever happens. */
export async function withConnection<Result>(
  invocation: Invocation,
  act: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await connect(invocation)
  const { call } = connection
  try {
    return await act({
      ...connection,
      call: async (operation, input) => ({ ...(await call(operation, input)), errors: operation.errors }),
    })
  } finally {
    await connection.close()
  }
}

// Loaded when needed: a local command pays nothing for the remote side, nor the other way round.
async function connect(invocation: Invocation): Promise<Connection> {
  const { url } = invocation.globals
  if (url === undefined) return (await import('./local-connection.ts')).connectLocally(invocation)
  return (await import('./remote-connection.ts')).connectRemotely(url, invocation)
}
