import { findAcceptedLoss } from '../../../operations/opening/record-beginnings.ts'
import type { Invocation } from '../command.ts'
import { openHome } from '../hub/local-connection.ts'
import { printForPerson } from '../output/output.ts'

/** Opens a home whose database is behind its witness, or whose log is damaged, and records what is missing. */
export async function acceptLoss(invocation: Invocation): Promise<number> {
  const hub = await openHome(invocation, { acceptLoss: true })
  try {
    const accepted = (await findAcceptedLoss(hub.db)) ?? null
    if (invocation.globals.json) invocation.io.stdout.write(`${JSON.stringify({ accepted })}\n`)
    printForPerson(
      invocation,
      accepted ? describe(accepted) : 'Nothing is missing, so there is nothing to accept.',
    )
    return 0
  } finally {
    await hub.close()
  }
}

function describe({
  after_seq,
  last_seq,
  accepted_at,
}: {
  after_seq: number
  last_seq: number
  accepted_at: string
}) {
  const which =
    last_seq > after_seq
      ? `records ${after_seq + 1} to ${last_seq}`
      : `whatever came after record ${after_seq}`
  return [
    `Accepted at ${accepted_at}, on record: the hub goes on without ${which}.`,
    'What was revoked, locked or deleted there is not: go through tokens, grants, sessions, agents, connections and locks.',
  ].join('\n')
}
