import type { Page } from './page.ts'
import { presentAny } from './present-any.ts'
import { presentFlow } from './present-flow.ts'
import { presentFlowList } from './present-flow-list.ts'
import { presentAuditList, presentDoctor, presentWhoami } from './present-hub.ts'
import { presentNewGrant, presentNewToken, presentTokenList } from './present-token.ts'

type Present = (body: unknown, page: Page) => string

/** Answers that read better than their plain fields. */
const PRESENTERS: Readonly<Record<string, Present>> = {
  flow_list: presentFlowList,
  flow_get: presentFlow,
  token_create: presentNewToken,
  token_list: presentTokenList,
  flow_external_grant_mint: presentNewGrant,
  whoami: presentWhoami,
  doctor: presentDoctor,
  audit_list: presentAuditList,
}

/** An operation's answer as a person reads it. */
export function present(operation: string, body: unknown, page: Page): string {
  const presenter = Object.hasOwn(PRESENTERS, operation) ? PRESENTERS[operation] : undefined
  return (presenter ?? presentAny)(body, page)
}
