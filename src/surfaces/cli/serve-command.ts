import { CommandFailure, UsageError } from './cli-errors.ts'
import { findFlag, type Invocation } from './command.ts'

const PORT_MAX = 65_535

/** Runs the hub until it is told to stop. */
export async function serve(invocation: Invocation): Promise<number> {
  const options = {
    env: invocation.env,
    home: invocation.globals.home,
    host: findFlag(invocation, 'host'),
    port: readPort(findFlag(invocation, 'port')),
    log: readLog(findFlag(invocation, 'log')),
  }
  const { serveHub } = await import('../rest/serve.ts')
  try {
    await serveHub(options)
    return 0
  } catch (error) {
    throw startFailure(error as NodeJS.ErrnoException)
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text)
  throw new UsageError('--port must be a number from 0 to 65535.', 'Use --port 0 to let the system pick one.')
}

function readLog(text: string | undefined): 'json' | 'text' | undefined {
  if (text === undefined || text === 'json' || text === 'text') return text
  throw new UsageError('--log must be json or text.', 'Programs read json; people read text.')
}

function startFailure(error: NodeJS.ErrnoException): CommandFailure {
  if (error.code === 'EADDRINUSE') {
    return new CommandFailure(
      'ADDRESS_IN_USE',
      'Another program listens at this address.',
      'Is a hub running already? Else choose another port with --port.',
    )
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL') {
    return new CommandFailure(
      'ADDRESS_DENIED',
      `The hub cannot listen there (${error.code}).`,
      'Change --host or --port.',
    )
  }
  return new CommandFailure('RUNTIME_ERROR', error.message)
}
