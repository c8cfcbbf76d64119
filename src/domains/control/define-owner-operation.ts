import type { z } from 'zod'
import type { Authority } from '../../operations/authority.ts'
import { defineOperation, type Effect, type Operation } from '../../operations/define-operation.ts'
import type { ErrorTable } from '../../operations/errors.ts'
import { ownerContract } from './owner-contract.ts'
import { surfaceErrors } from './owner-errors.ts'

type Declared<
  Input extends z.ZodObject,
  Output,
  Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found,
> = Parameters<typeof defineOperation<Input, Output, Errors & typeof surfaceErrors.table, A, E, Found>>[0]

/** Defines an operation of the owner's surface: its errors and the form of its answers are always the same. */
export function defineOwnerOperation<
  Input extends z.ZodObject,
  Output,
  const Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found = undefined,
>(
  declaration: Omit<Declared<Input, Output, Errors, A, E, Found>, 'errors' | 'contract' | 'whenInvalid'> & {
    errors: Errors
  },
): Operation {
  return defineOperation<Input, Output, Errors & typeof surfaceErrors.table, A, E, Found>({
    ...declaration,
    errors: { ...surfaceErrors.table, ...declaration.errors },
    contract: ownerContract,
    whenInvalid: 'invalid_request',
  } as Declared<Input, Output, Errors, A, E, Found>)
}
