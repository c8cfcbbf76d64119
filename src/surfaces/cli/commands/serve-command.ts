import { CommandFailure, UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import { openingFailure } from '../hub/opening-failure.ts'

const PORT_MAX = 65_535
/** What Node calls the steps to a socket: a host name is looked up first. */
const LISTENING = new Set(['listen', 'bind', 'getaddrinfo'])

/** Runs the hub until it is told to stop. */
export async function serve(invocation: Invocation): Promise<number> {
  const options = {
    env: invocation.env,
    home: invocation.globals.home,
    host: findFlag(invocation, 'host'),
    port: readPort(findFlag(invocation, 'port')),
    log: readLog(findFlag(invocation, 'log')),
  }
  const { serveHub } = await import('../../http/serve.ts')
  try {
    await serveHub(options)
    return 0
  } catch (error) {
    throw startFailure(error as NodeJS.ErrnoException & { address?: string; port?: number })
  }
}

/** The port that is asked for; undefined where none is. */
export function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text)
  throw new UsageError('--port must be a number from 0 to 65535.', 'Use --port 0 to let the system pick one.')
}

function readLog(text: string | undefined): 'json' | 'text' | undefined {
  if (text === undefined || text === 'json' || text === 'text') return text
  throw new UsageError('--log must be json or text.', 'Programs read json; people read text.')
}

/** The same codes come from the socket and from the files of the home: only the call tells them apart. */
function startFailure(error: NodeJS.ErrnoException & { address?: string; port?: number }): CommandFailure {
  if (!LISTENING.has(error.syscall ?? '')) return openingFailure(error)
  if (error.code === 'EADDRINUSE') {
    return new CommandFailure(
      'ADDRESS_IN_USE',
      error.name === 'LoopbackTaken'
        ? error.message
        : `Another program listens at ${error.address ?? 'this address'}${error.port ? `, port ${error.port}` : ''}.`,
      'Is a hub running already? Else choose another port with --port.',
    )
  }
  return new CommandFailure(
    'ADDRESS_DENIED',
    `The hub cannot listen there (${error.code}).`,
    'Change --host or --port.',
  )
}
