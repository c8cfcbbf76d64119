import type { z } from 'zod'
import type { Authority } from './authority.ts'
import { defineOperation, type Effect, type Operation } from './define-operation.ts'
import type { ErrorTable } from './errors.ts'
import { ownerContract, sessionContract } from './owner-contract.ts'
import { sessionErrors, surfaceErrors } from './owner-errors.ts'

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
export type SurfaceDeclaration<
  Input extends z.ZodObject,
  Output,
  Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found,
  Shown = unknown,
> = Omit<Declared<Input, Output, Errors, A, E, Found, Shown>, 'errors' | 'contract' | 'whenInvalid'> & {
  errors: Errors
}

/** Defines an operation of the owner's surface: its errors and the form of its answers are always the same. */
export function defineSurfaceOperation<
  Input extends z.ZodObject,
  Output,
  const Errors extends ErrorTable,
  A extends Authority,
  E extends Effect,
  Found = undefined,
  Shown = unknown,
>(declaration: SurfaceDeclaration<Input, Output, Errors, A, E, Found, Shown>): Operation {
  return defineOperation<Input, Output, Errors & typeof surfaceErrors.table, A, E, Found, Shown>({
    ...declaration,
    errors: { ...surfaceErrors.table, ...sessionWords(declaration.authority), ...declaration.errors },
    contract: isOfSession(declaration.authority) ? sessionContract : ownerContract,
    whenInvalid: 'invalid_request',
  } as unknown as Declared<Input, Output, Errors, A, E, Found, Shown>)
}

/** Where only a session will do, whoever comes without is told to sign in, not to bring a bearer. */
function sessionWords(authority: Authority): ErrorTable {
  return isOfSession(authority) ? sessionErrors.table : {}
}

function isOfSession({ otherwise }: Authority): boolean {
  return otherwise === 'authentication_error'
}
