import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { draft, uses } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import type { FlowBundle } from '../../src/domains/flows/bundle/flow-record.ts'
import { flowStateId } from '../../src/domains/flows/bundle/state-id.ts'
import { ownerOrigin, type Visitor } from '../control/owner-visitor.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'

/** A policy under which flows are written and external agents come in. */
export const OPEN_POLICY = {
  external_agent: {
    enabled: true,
    max_ttl_seconds: 7_200,
    allowed_tools: [{ id: 'web_search', description: 'Search the web' }, 'calendar'],
  },
  flow_authoring: { writes_enabled: true },
}

/** What an agent may try to slip into a page: markup, a line turned around, hidden signs. */
export const NASTY =
  '<script>document.title="taken over"</script><img src=x onerror=alert(1)>"\'>&lt; \u202eevil\u202c\u200b'

/** A browser that asks nobody for anything. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  })
}

/** The address of the owner's pages. */
export const originOf = ownerOrigin

/** A window in which the owner is signed in. */
export async function openAsOwner(
  browser: Browser,
  hub: Pick<TestHub, 'url' | 'hub'>,
  owner: Visitor,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options)
  const url = originOf(hub)
  await context.addCookies([...owner.cookies].map(([name, value]) => ({ name, value, url })))
  return { context, page: await context.newPage() }
}

/** A picture of the page, where a person asked for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.OWNER_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** A flow whose one step declares tools. */
export function flowUsing(flow_id: string, ...tools: string[]): FlowBundle {
  return draft({ flow_id, step: uses(...tools) })
}

/** Proposes a draft over REST, as the editor; on a base where it is a new version. Answers the proposal's id. */
export async function proposeOverRest(
  hub: TestHub,
  bundle: FlowBundle,
  intent = 'It helps.',
  base?: FlowBundle,
): Promise<string> {
  const naming = base && {
    base_version: base.flow.version,
    base_state_id: flowStateId(base.flow, base.steps),
  }
  const path = base ? `/api/v1/flows/${base.flow.flow_id}/proposals` : '/api/v1/flows'
  const body = JSON.stringify({ ...bundle, intent, ...naming })
  const answer = await send(hub.url, { method: 'POST', path, body, bearer: hub.credentials.bearers.editor })
  const { proposal_id } = JSON.parse(answer.text) as { proposal_id?: string }
  if (proposal_id === undefined) throw new Error(answer.text)
  return proposal_id
}

/** Makes a draft a flow, without a page. */
export async function publishOverRest(hub: TestHub, bundle: FlowBundle, base?: FlowBundle): Promise<void> {
  const proposal_id = await proposeOverRest(hub, bundle, 'It helps.', base)
  const answer = await send(hub.url, {
    method: 'POST',
    path: `/api/v1/proposals/${proposal_id}/approve`,
    body: '{}',
    bearer: hub.credentials.bearers.admin,
  })
  if (answer.status !== 200) throw new Error(answer.text)
}
