import type { FastifyRequest } from 'fastify'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import { VAULT_ID } from '../../../platform/basics/home.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf } from './owner-forms.ts'
import { type Html, html } from './views/html.ts'

const DEFAULT_VAULT = 'default'

/** One value of the address's query. */
export function queryOf({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The vault that a request names, good or not: a form in a field, a link in its address. */
export function vaultNamed(request: FastifyRequest, otherwise = DEFAULT_VAULT): string {
  return fieldOf(request, 'vault') || (queryOf(request, 'vault') ?? otherwise)
}

/** The vault that a page is about. What cannot be the name of one is told, and shown is the default one. */
export function vaultOfPage(request: FastifyRequest, otherwise?: string): { vault: string; fault?: string } {
  const named = vaultNamed(request, otherwise)
  return VAULT_ID.test(named)
    ? { vault: named }
    : { vault: DEFAULT_VAULT, fault: 'No vault can have that name. This is the default one.' }
}

/** Asks an operation about a vault, in the name of whoever opened the page. */
export function askIn(
  hub: Hub,
  { identity, headers }: FastifyRequest,
  vault: string,
  operation: Operation,
  input: object,
): Promise<Answer> {
  return runOperation(hub, { ...callOf(operation, identity, headers, input, undefined), vault })
}

/** The address of a page about a vault; the default one goes without saying. */
export function addressIn(path: string, vault: string, query: Readonly<Record<string, string>> = {}): string {
  const all = new URLSearchParams({ ...(vault !== DEFAULT_VAULT && { vault }), ...query }).toString()
  return all === '' ? path : `${path}?${all}`
}

/** The way to another vault. Which ones there are, the hub does not keep: any name may come into use. */
export function vaultForm(path: string, vault: string, more: Html | false = false): Html {
  return html`<form class="row vault" method="get" action="${path}">${more}<label>Vault<input name="vault" value="${vault}" maxlength="64" pattern="[a-z0-9][a-z0-9_\\-]*" required></label><button>Show this vault</button></form>`
}

/** The same for forms, so that what is done is done where the page said. */
export function vaultField(vault: string): Html | false {
  return vault !== DEFAULT_VAULT && html`<input type="hidden" name="vault" value="${vault}">`
}

/** Refusals whose own sentence is for programs, as a page tells them. */
const SENTENCES: Readonly<Record<string, string>> = {
  unknown_proposal: 'There is no such proposal in this vault.',
  unknown_flow: 'There is no such flow, or not in that version.',
  unknown_grant: 'There is no such grant in this vault.',
  unknown_alert: 'This agent is not in Alert Mode in this vault.',
  FLOW_LINEAGE_CONFLICT:
    'The flow has moved on since this was proposed, so it was not approved. Discard it, and have the change proposed again on the newest version.',
  EVALUATION_REQUIRED:
    'The evaluation was not passed, so it was not approved. To approve nonetheless, say why.',
  FLOW_SCOPE_AMBIGUOUS:
    'What you may see in this vault cannot be told: its members.yaml cannot be read. knowtation doctor says why.',
  FLOW_EXTERNAL_GRANT_DENIED:
    'No grant was minted: the version is not approved yet, or the vault has all the grants that its policy allows.',
}

/** What a page says of a refusal. */
export function sentenceOf(answer: Answer): string {
  return SENTENCES[answer.code ?? ''] ?? faultOf(answer)
}
