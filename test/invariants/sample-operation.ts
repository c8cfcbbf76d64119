import { z } from 'zod'
import { vaultMember } from '../../src/operations/authority.ts'
import { defineOperation, type Operation } from '../../src/operations/define-operation.ts'

/** A sound little operation on every surface; tests change what they are about. */
export function sampleOperation(changes: Partial<Operation> = {}): Operation {
  const sound = defineOperation({
    name: 'sample_read',
    summary: 'Read nothing in particular.',
    effect: 'read',
    authority: vaultMember('read'),
    rest: 'GET /api/v1/samples/{sample_id}',
    mcp: true,
    cli: 'sample get <sample_id>',
    errors: { SAMPLE_OFF: { status: 403, message: 'Samples are off.' } },
    input: z.strictObject({ sample_id: z.string() }),
    output: z.strictObject({ sample_id: z.string() }),
    handle: async ({ input }) => ({ sample_id: input.sample_id }),
  })
  return { ...sound, ...changes }
}
