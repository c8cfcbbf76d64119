import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import {
  flowUsing,
  NASTY,
  OPEN_POLICY,
  openAsOwner,
  originOf,
  proposeOverRest,
  publishOverRest,
} from '../browser/owner-browser.fixture.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { ask, mint } from '../external-agent/gate-hub.ts'

export const GRANTED = { flow_id: 'flow_granted', flow_version: '1.0.0' }

/** A hub in which something has happened: a grant that was used and refused, a proposal with a trap in its words. */
export interface ConsoleWorld {
  readonly hub: OwnedHub
  readonly origin: string
  /** Calls a tool with the grant; the first is allowed, the second is not in the grant. */
  call(tool_id: string): Promise<string | undefined>
  propose(intent: string): Promise<string>
  close(): Promise<void>
}

export async function startConsoleWorld(
  options: { database?: 'sqlite' | 'postgres' } = {},
): Promise<ConsoleWorld> {
  const hub = await startOwnedHub({ policy: OPEN_POLICY, ...options })
  await publishOverRest(hub, flowUsing('flow_granted', 'web_search', 'calendar'))
  const grant = await mint(hub, { ...GRANTED, requested_tools: ['web_search'] })
  const { presented } = grant
  let drafts = 0
  return {
    hub,
    origin: originOf(hub),
    async call(tool_id) {
      const input = { tool_id, ...GRANTED, payload: {} }
      return (await ask(hub, 'flow_external_tool_invoke', input, { presented })).code
    },
    propose: (intent) => proposeOverRest(hub, flowUsing(`flow_draft_${++drafts}`, 'web_search'), intent),
    close: () => hub.close(),
  }
}

/** A window of the owner's, with all that the browser complained of. */
export async function openConsole(
  world: { readonly hub: Pick<OwnedHub, 'url' | 'hub' | 'owner'> },
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const { context, page } = await openAsOwner(browser, world.hub, world.hub.owner, options)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { context, page, complaints }
}

/** A picture of the page, where a person asked for pictures. */
export async function pictureOf(page: Page, name: string): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

export { NASTY }
