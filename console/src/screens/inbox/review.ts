import type { proposalQuery } from '../../api/queries'

type Asked = ReturnType<typeof proposalQuery>['queryFn']
/** A proposal with its draft, as the hub shows it. */
export type Review = Awaited<ReturnType<Extract<Asked, (...given: never[]) => unknown>>>
