import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Frame } from './frame/frame'
import { NothingHere } from './frame/nothing-here'
import { Home } from './screens/home/home'

/** Every page may say which vault it is about; pages add what they are narrowed by. */
interface PageSearch {
  vault?: string
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NothingHere,
  validateSearch: ({ vault }): PageSearch => (text(vault) ? { vault: text(vault) as string } : {}),
})

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home })

/** How far back the bars of the log go, in minutes. */
export const STRETCHES = [60, 360, 1_440] as const
const OUTCOMES = ['allowed', 'denied', 'failed'] as const

export interface ActivitySearch extends PageSearch {
  outcome?: (typeof OUTCOMES)[number]
  operation?: string
  called_by?: string
  grant?: string
  tool?: string
  flow?: string
  /** From when on, and until when; how many minutes back the bars go. */
  since?: string
  until?: string
  minutes?: number
  /** Whether the owner's own reads are shown, too. */
  own?: boolean
  /** The record that is looked at, and whether the question is why it was refused. */
  record?: number
  why?: boolean
}

const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  validateSearch: (search): ActivitySearch => {
    const kept: ActivitySearch = {}
    for (const name of ['operation', 'called_by', 'grant', 'tool', 'flow'] as const) {
      const value = text(search[name])
      if (value) kept[name] = value
    }
    const outcome = OUTCOMES.find((one) => one === search.outcome)
    if (outcome) kept.outcome = outcome
    for (const name of ['since', 'until'] as const) {
      const moment = Date.parse(String(search[name]))
      if (!Number.isNaN(moment)) kept[name] = new Date(moment).toISOString()
    }
    const minutes = STRETCHES.find((one) => one === search.minutes)
    if (minutes && minutes !== STRETCHES[0]) kept.minutes = minutes
    if (Number.isSafeInteger(search.record)) kept.record = search.record as number
    if (search.own === true) kept.own = true
    if (search.why === true) kept.why = true
    return kept
  },
  component: lazyRouteComponent(() => import('./screens/activity/activity'), 'Activity'),
})

export interface InboxSearch extends PageSearch {
  /** What is looked at: its kind and id, such as `proposal:prop_…`. */
  item?: string
  /** Whether what was decided is listed instead of what waits. */
  done?: boolean
}

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: ({ item, done }): InboxSearch => ({
    ...(text(item) && { item: text(item) as string }),
    ...(done === true && { done }),
  }),
  component: lazyRouteComponent(() => import('./screens/inbox/inbox'), 'Inbox'),
})

export const FLOW_VIEWS = ['versions', 'projections', 'runs'] as const
export interface FlowSearch extends PageSearch {
  version?: string
  /** The version that is compared with. */
  base?: string
  view?: (typeof FLOW_VIEWS)[number]
}

const flows = createRoute({
  getParentRoute: () => root,
  path: '/flows',
  component: lazyRouteComponent(() => import('./screens/flows/flows'), 'Flows'),
})
const flow = createRoute({
  getParentRoute: () => root,
  path: '/flows/$flow_id',
  validateSearch: ({ version, base, view }): FlowSearch => {
    const known = FLOW_VIEWS.find((one) => one === view)
    return {
      ...(text(version) && { version: text(version) as string }),
      ...(text(base) && { base: text(base) as string }),
      ...(known && { view: known }),
    }
  },
  component: lazyRouteComponent(() => import('./screens/flows/flow-page'), 'FlowPage'),
})

const flowEdit = createRoute({
  getParentRoute: () => root,
  path: '/flows/$flow_id/edit',
  component: lazyRouteComponent(() => import('./screens/flows/edit/edit-page'), 'EditPage'),
})
const flowNew = createRoute({
  getParentRoute: () => root,
  path: '/flows/new',
  component: lazyRouteComponent(() => import('./screens/flows/edit/edit-page'), 'NewFlowPage'),
})

export const AGENT_TABS = [
  'grants',
  'consents',
  'seats',
  'owner_agents',
  'tokens',
  'locks',
  'connect',
] as const
const MADE_HERE = ['grant', 'seat', 'token'] as const

export interface AgentSearch extends PageSearch {
  tab?: (typeof AGENT_TABS)[number] | undefined
  /** What is being made beside the list, and what of it is chosen already. */
  make?: (typeof MADE_HERE)[number]
  flow?: string
  version?: string
  tool?: string
  /** What an agent is connected with, and as which program. */
  grant?: string
  seat?: string
  token?: string
  client?: string
}

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: (search): AgentSearch => {
    const kept: AgentSearch = {}
    for (const name of ['flow', 'version', 'tool', 'grant', 'seat', 'token', 'client'] as const) {
      const value = text(search[name])
      if (value) kept[name] = value
    }
    const tab = AGENT_TABS.find((one) => one === search.tab)
    if (tab) kept.tab = tab
    const make = MADE_HERE.find((one) => one === search.make)
    if (make) kept.make = make
    return kept
  },
  component: lazyRouteComponent(() => import('./screens/agents/agents'), 'Agents'),
})

export const TOOL_TABS = ['allowlist', 'providers', 'policy'] as const
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: ({ tab }): PageSearch & { tab?: (typeof TOOL_TABS)[number] } => {
    const known = TOOL_TABS.find((one) => one === tab)
    return known ? { tab: known } : {}
  },
  component: lazyRouteComponent(() => import('./screens/tools/tools'), 'Tools'),
})

export const DATA_TABS = ['sources', 'subscriptions', 'engines', 'ledger'] as const
const data = createRoute({
  getParentRoute: () => root,
  path: '/data',
  validateSearch: ({ tab, item }): PageSearch & { tab?: (typeof DATA_TABS)[number]; item?: string } => {
    const known = DATA_TABS.find((one) => one === tab)
    return { ...(known && { tab: known }), ...(text(item) && { item: text(item) as string }) }
  },
  component: lazyRouteComponent(() => import('./screens/data/data'), 'Data'),
})

const connect = createRoute({
  getParentRoute: () => root,
  path: '/data/connect',
  component: lazyRouteComponent(() => import('./screens/data/connect'), 'Connect'),
})
const intent = createRoute({
  getParentRoute: () => root,
  path: '/data/connect/$intent_id',
  component: lazyRouteComponent(() => import('./screens/data/intent-page'), 'IntentPage'),
})

export const SOURCE_VIEWS = ['runs', 'records', 'schedule'] as const
export interface SourceSearch extends PageSearch {
  view?: (typeof SOURCE_VIEWS)[number]
  stream?: string
  /** The record that is looked at, and what is looked for among all. */
  key?: string
  q?: string
}
const source = createRoute({
  getParentRoute: () => root,
  path: '/data/sources/$connection_id',
  validateSearch: ({ view, stream, key, q }): SourceSearch => {
    const known = SOURCE_VIEWS.find((one) => one === view)
    return {
      ...(known && { view: known }),
      ...(text(stream) && { stream: text(stream) as string }),
      ...(text(key) && { key: text(key) as string }),
      ...(text(q) && { q: text(q) as string }),
    }
  },
  component: lazyRouteComponent(() => import('./screens/data/source-page'), 'SourcePage'),
})

export const SETTING_TABS = ['account', 'passkeys', 'tokens', 'health', 'backup', 'about'] as const
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: ({ tab }): PageSearch & { tab?: (typeof SETTING_TABS)[number] } => {
    const known = SETTING_TABS.find((one) => one === tab)
    return known ? { tab: known } : {}
  },
  component: lazyRouteComponent(() => import('./screens/settings/settings'), 'Settings'),
})

/** Where each page of the console is. A page's code comes when it is first opened. */
export function openRouter() {
  return createRouter({
    routeTree: root.addChildren([
      home,
      inbox,
      activity,
      agents,
      flows,
      flow,
      flowEdit,
      flowNew,
      tools,
      data,
      connect,
      intent,
      source,
      settings,
    ]),
    basepath: '/console',
    defaultPreload: 'intent',
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof openRouter>
  }
}
