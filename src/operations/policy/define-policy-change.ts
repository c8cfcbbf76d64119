import { z } from 'zod'
import type { VaultRules } from '../../platform/policy/policies.ts'
import { openPolicyDocument, type PolicyDocument } from '../../platform/policy-edits/policy-document.ts'
import { ownerSurface } from '../authority.ts'
import type { ActOutside, Context, Operation, Target } from '../define-operation.ts'
import { defineSurfaceOperation, type SurfaceDeclaration } from '../define-surface-operation.ts'
import type { ErrorTable } from '../errors.ts'
import {
  type AskedChange,
  changePolicy,
  type PolicyChange,
  type PreparedChange,
  policyChangeInput,
  preparePolicyText,
} from './change-policy.ts'
import { policyChangeErrors } from './policy-change-errors.ts'

type Errors<Own extends ErrorTable> = Own & typeof policyChangeErrors.table
type Given<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>> & AskedChange
type Asking<Fields extends z.ZodRawShape, Own extends ErrorTable> = Context<
  Given<Fields>,
  keyof Errors<Own> & string,
  'read'
>

type PolicyChangeDeclaration<Fields extends z.ZodRawShape, Own extends ErrorTable, Output, Found> = Omit<
  SurfaceDeclaration<z.ZodObject, Output, ErrorTable, ReturnType<typeof ownerSurface>, 'update', Found>,
  'input' | 'output' | 'errors' | 'effect' | 'authority' | 'check' | 'handle' | 'target' | 'present'
> & {
  /** Its own fields: which revision the change is for and why are added. */
  fields: Fields
  errors: Own
  output: z.ZodType<Output>
  present?: SurfaceDeclaration<
    z.ZodObject,
    Output,
    ErrorTable,
    ReturnType<typeof ownerSurface>,
    'update',
    Found,
    Output
  >['present']
  /** `update` unless told otherwise. */
  effect?: 'create' | 'update' | 'delete'
  /** What the record of the call names. */
  target?: (input: Given<Fields>, rules: VaultRules) => Target | undefined
  /** The same for what the change itself brings: named only when it is carried out, never for a refusal. */
  made?: (input: Given<Fields>) => Target
  /** Looks for what the change needs, before anything is changed. */
  find?: (context: Asking<Fields, Own>) => Promise<Found>
  /** The new text of the policy, made from the one that is there. */
  rewrite: (text: string, context: Asking<Fields, Own>, found: Found) => string
  /** Told when the file has been changed. */
  answer: (
    change: PolicyChange,
    context: Pick<Asking<Fields, Own>, 'input' | 'hub' | 'vault_id'>,
    found: Found,
  ) => Output
}

/**
 * Defines an operation that changes the policy of its vault: of the owner's, signed in or at the command line on the home.
 * Never over MCP, never by a token, the hub token or an agent of the owner's.
 */
export function definePolicyChange<
  Fields extends z.ZodRawShape,
  const Own extends ErrorTable,
  Output,
  Found = undefined,
>(declaration: PolicyChangeDeclaration<Fields, Own, Output, Found>): Operation {
  const { fields, errors, find, rewrite, answer, made, effect = 'update', ...rest } = declaration
  type Prepared = { prepared: PreparedChange; found: Found }
  return defineSurfaceOperation({
    ...rest,
    effect,
    authority: ownerSurface({ session_only: true }),
    errors: { ...policyChangeErrors.table, ...errors },
    input: z.strictObject({ ...fields, ...policyChangeInput }),
    async check(context: Asking<Fields, Own>): Promise<Prepared> {
      const found = (await find?.(context)) as Found
      const prepared = await preparePolicyText(context, (text) => rewrite(text, context, found))
      return { prepared, found }
    },
    async handle(
      context: Context<Given<Fields>, never, 'update'>,
      { prepared, found }: Prepared,
    ): Promise<Output | ActOutside<Output>> {
      const change = { operation: rest.name, prepared, made: made?.(context.input) }
      return changePolicy(context, change, (changed) => answer(changed, context, found))
    },
  } as never)
}

/** A change at single places, which leaves all else as its owner wrote it. */
export function edited<Asked, Found>(
  edit: (document: PolicyDocument, context: Asked, found: Found) => void,
): (text: string, context: Asked, found: Found) => string {
  return (text, context, found) => {
    const document = openPolicyDocument(text)
    edit(document, context, found)
    return document.text()
  }
}
