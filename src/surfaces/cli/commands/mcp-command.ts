import { Refusal } from '../../../operations/errors.ts'
import { buildRegistry } from '../../../operations/registry.ts'
import { localCaller } from '../../../platform/identity/caller.ts'
import type { OnRefusedLine } from '../../mcp/stdio-transport.ts'
import type { Invocation } from '../command.ts'
import { openHome } from '../hub/local-connection.ts'
import { presentedBy } from '../hub/presented.ts'
import { isMember, isSeated, memberRoleOf, seatCaller } from '../line/seat-flags.ts'

/** Serves the home's hub to one MCP client over stdin and stdout, until the client goes. */
export async function serveMcp(invocation: Invocation): Promise<number> {
  const [{ serveMcpOverStdio }, { operationTools }, { refuseAtDoor }, { allOperations }] = await Promise.all([
    import('../../mcp/stdio.ts'),
    import('../../mcp/operation-tools.ts'),
    import('../../mcp/mcp-door.ts'),
    import('../../../domains/index.ts'),
  ])
  const { io, globals } = invocation
  const hub = await openHome(invocation, { isWatched: true })
  let isLeaving = false
  const leave = () => {
    isLeaving = true
    io.stdin.destroy()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave)
  try {
    const host = operationTools(hub, buildRegistry(allOperations))
    const presented = presentedBy(invocation.env)
    const member = { ...localCaller('unknown'), role: memberRoleOf(invocation) ?? 'admin' }
    const isOfSeat = isSeated(invocation) && !isMember(invocation)
    const who = isOfSeat ? seatCaller(invocation, 'unknown') : member
    const caller = { caller: who, vault: globals.vault, address: 'local', presented }
    const onError = (error: Error) => {
      if (!isLeaving) hub.log.warn({ fault: error.name }, 'mcp session fault')
    }
    const onRefused: OnRefusedLine = (code) => refuseAtDoor(hub, caller, new Refusal(code))
    await serveMcpOverStdio(host, caller, { stdin: io.stdin, stdout: io.stdout, onError, onRefused })
    return 0
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, leave)
    await hub.close()
  }
}
