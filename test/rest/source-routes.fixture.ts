import type { Expectation } from './routes.fixture.ts'

const CONNECTION = { connection_id: `conn_${'0'.repeat(24)}` }
const CONNECTOR = { connector_id: 'amazon' }
const NO_CONNECTION = '404 connector_instance_not_found'
const NO_CONNECTIONS = '404 connection_not_found'

const expects = (answer: string, input: Record<string, unknown>): Expectation => ({
  needs: 'owner_surface',
  answer,
  input: () => input,
})

/** What a source has collected, and when it does. */
export const SOURCE_ROUTES: Readonly<Record<string, Expectation>> = {
  owner_connection_schedule_set: expects(NO_CONNECTION, {
    ...CONNECTION,
    cron: '0 3 * * *',
  }),
  owner_connector_schedule_set: expects(NO_CONNECTIONS, { ...CONNECTOR, cron: '0 3 * * *' }),
  owner_connection_schedule_pause: expects(NO_CONNECTION, CONNECTION),
  owner_connector_schedule_pause: expects(NO_CONNECTIONS, CONNECTOR),
  owner_connection_schedule_resume: expects(NO_CONNECTION, CONNECTION),
  owner_connector_schedule_resume: expects(NO_CONNECTIONS, CONNECTOR),
  owner_connection_schedule_delete: expects(NO_CONNECTION, CONNECTION),
  owner_connector_schedule_delete: expects(NO_CONNECTIONS, CONNECTOR),
  owner_schedule_preview: expects('200', { cron: '0 3 * * *' }),
  owner_stream_list: expects(NO_CONNECTION, CONNECTION),
  owner_record_list: expects(NO_CONNECTION, { ...CONNECTION, stream: 'items' }),
  owner_record_get: expects(NO_CONNECTION, { ...CONNECTION, stream: 'items', key: 'k' }),
  owner_record_search: expects(NO_CONNECTION, { ...CONNECTION, query: 'kettle' }),
}
