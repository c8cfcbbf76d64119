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

const OUTCOMES = ['allowed', 'denied', 'failed'] as const

export interface ActivitySearch extends PageSearch {
  outcome?: (typeof OUTCOMES)[number]
  operation?: string
  called_by?: string
  grant?: string
  tool?: string
  flow?: string
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
    if (Number.isSafeInteger(search.record)) kept.record = search.record as number
    if (search.own === true) kept.own = true
    if (search.why === true) kept.why = true
    return kept
  },
  component: lazyRouteComponent(() => import('./screens/activity/activity'), 'Activity'),
})

/** Where each page of the console is. A page's code comes when it is first opened. */
export function openRouter() {
  return createRouter({
    routeTree: root.addChildren([home, activity]),
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
