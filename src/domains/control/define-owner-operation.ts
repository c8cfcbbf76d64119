import type { z } from 'zod'
import type { Authority } from '../../operations/authority.ts'
import type { Contract } from '../../operations/contract.ts'
import type { Effect, Operation, Target } from '../../operations/define-operation.ts'
import { defineSurfaceOperation, type SurfaceDeclaration } from '../../operations/define-surface-operation.ts'
import type { ErrorTable } from '../../operations/errors.ts'
import { ownerCode } from '../../operations/owner-contract.ts'
import { handleRecorded, recordRefusal } from './spine/record-call.ts'
import type { Spine } from './spine/spine.ts'

/** What an operation of the owner's surface declares, and which event it leaves. */
export type OwnerDeclaration<
  Input extends z.ZodObject,
  Output,
  Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found,
  Shown = unknown,
> = SurfaceDeclaration<Input, Output, Errors, A, E, Found, Shown> & {
  /** The event that each call of it leaves in the owner's record, carried out or not. */
  spine?: Spine<z.output<Input>, NoInfer<Output>>
}

const CONNECTION_ID = /^conn_[0-9a-f]{16,32}$/

/** Whose connection was looked at; anything else in the place of an id may be a secret in the wrong place. */
function connectionLookedAt({ connection_id }: { readonly connection_id?: unknown }): Target | undefined {
  const isOne = typeof connection_id === 'string' && CONNECTION_ID.test(connection_id)
  return isOne ? { kind: 'connection', id: connection_id } : undefined
}

/** Defines an operation of the owner's surface that may leave events in the owner's record. */
export function defineOwnerOperation<
  Input extends z.ZodObject,
  Output,
  const Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found = undefined,
  Shown = unknown,
>({ spine, ...declaration }: OwnerDeclaration<Input, Output, Errors, A, E, Found, Shown>): Operation {
  const operation = defineSurfaceOperation<Input, Output, Errors, A, E, Found, Shown>({
    ...(declaration.effect === 'read' && { target: connectionLookedAt }),
    ...declaration,
  } as unknown as SurfaceDeclaration<Input, Output, Errors, A, E, Found, Shown>)
  return spine ? recorded(operation, spine as unknown as AnySpine) : operation
}

type AnySpine = Spine<Record<string, unknown>, unknown>

function recorded(operation: Operation, spine: AnySpine): Operation {
  const isInTransaction = operation.effect !== 'read' && !operation.outward
  const contract: Contract = {
    ...(operation.contract as Contract),
    onRefused: (ended, refusal) => recordRefusal(spine, ended, ownerCode(ended.operation, refusal)),
  }
  const handle = handleRecorded(spine, operation.handle, isInTransaction)
  return Object.assign({ ...operation, contract, handle }, { spine })
}
