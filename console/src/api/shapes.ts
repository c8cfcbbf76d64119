import type { paths } from './schema'

/** What a read answers, by its address. */
type Answered<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Answer } } } }
}
  ? Answer
  : never

export type Run = Answered<'/_ref/runs'>['data'][number]
export type Intent = Answered<'/v1/owner/connections/intents/{intent_id}'>
export type Connection = Answered<'/v1/owner/connections/{connection_id}'>
export type Connector = Answered<'/v1/owner/connector-templates'>['data'][number]
export type CollectedRecord = Answered<'/v1/owner/connections/{connection_id}/streams/{stream}/record'>
export type Subscription = Omit<Answered<'/v1/event-subscriptions'>['data'][number], 'grant_id'>
export type GrantPreview = Answered<'/api/v1/flows/{id}/grant-preview'>
export type Seat = Answered<'/api/v1/tool-sessions'>['sessions'][number]
export type SeatPreview = Answered<'/api/v1/tool-sessions/preview'>
export type ClientSettings = Answered<'/api/v1/client-settings'>['clients'][number]
export type OwnerRequest = Answered<'/v1/owner/requests'>['data'][number]
