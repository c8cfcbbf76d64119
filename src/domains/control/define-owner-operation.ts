import type { z } from 'zod'
import type { Authority } from '../../operations/authority.ts'
import type { Contract } from '../../operations/contract.ts'
import {
  defineOperation,
  type Effect,
  type Operation,
  type Target,
} from '../../operations/define-operation.ts'
import type { ErrorTable } from '../../operations/errors.ts'
import { ownerCode, ownerContract, sessionContract } from '../../operations/owner-contract.ts'
import { sessionErrors, surfaceErrors } from '../../operations/owner-errors.ts'
import { handleRecorded, recordRefusal } from './spine/record-call.ts'
import type { Spine } from './spine/spine.ts'

type Declared<
  Input extends z.ZodObject,
  Output,
  Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found,
  Shown,
> = Parameters<
  typeof defineOperation<Input, Output, Errors & typeof surfaceErrors.table, A, E, Found, Shown>
>[0]

/** What an operation of the owner's surface declares: the rest is the same for all of them. */
export type OwnerDeclaration<
  Input extends z.ZodObject,
  Output,
  Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found,
  Shown = unknown,
> = Omit<Declared<Input, Output, Errors, A, E, Found, Shown>, 'errors' | 'contract' | 'whenInvalid'> & {
  errors: Errors
  /** The event that each call of it leaves in the owner's record, carried out or not. */
  spine?: Spine<z.output<Input>, NoInfer<Output>>
}

const CONNECTION_ID = /^conn_[0-9a-f]{16,32}$/

/** Whose connection was looked at; anything else in the place of an id may be a secret in the wrong place. */
function connectionLookedAt({ connection_id }: { readonly connection_id?: unknown }): Target | undefined {
  const isOne = typeof connection_id === 'string' && CONNECTION_ID.test(connection_id)
  return isOne ? { kind: 'connection', id: connection_id } : undefined
}

/** Defines an operation of the owner's surface: its errors and the form of its answers are always the same. */
export function defineOwnerOperation<
  Input extends z.ZodObject,
  Output,
  const Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found = undefined,
  Shown = unknown,
>({ spine, ...declaration }: OwnerDeclaration<Input, Output, Errors, A, E, Found, Shown>): Operation {
  const operation = defineOperation<Input, Output, Errors & typeof surfaceErrors.table, A, E, Found, Shown>({
    ...(declaration.effect === 'read' && { target: connectionLookedAt }),
    ...declaration,
    errors: { ...surfaceErrors.table, ...sessionWords(declaration.authority), ...declaration.errors },
    contract: isOfSession(declaration.authority) ? sessionContract : ownerContract,
    whenInvalid: 'invalid_request',
  } as unknown as Declared<Input, Output, Errors, A, E, Found, Shown>)
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

/** Where only a session will do, whoever comes without is told to sign in, not to bring a bearer. */
function sessionWords(authority: Authority): ErrorTable {
  return isOfSession(authority) ? sessionErrors.table : {}
}

function isOfSession({ otherwise }: Authority): boolean {
  return otherwise === 'authentication_error'
}
