import { errorTable } from '../../../operations/errors.ts'

/** What can be wrong with the connection that a call is about. */
export const connectionErrors = errorTable({
  connector_instance_not_found: { status: 404, message: 'There is no such connection.' },
  connection_not_found: {
    status: 404,
    message: 'This connector has no connection that the call could mean.',
  },
  ambiguous_connection: {
    status: 409,
    message: 'This connector has several connections: name one by its connection_id.',
  },
  connector_instance_inactive: { status: 400, message: 'The connection is revoked.' },
  connector_instance_not_revoked: { status: 409, message: 'The connection is not revoked.' },
  connection_run_active: { status: 409, message: 'A run of the connection is active. Nothing was erased.' },
  delete_connection_unsupported: {
    status: 409,
    message: 'This hub does not offer the delete cascade contract for connections. Nothing was erased.',
  },
})

/** The codes of a call that names its connection by `connection_id`. */
export const byIdErrors = connectionErrors.pick('connector_instance_not_found')
/** The codes of a call that names only the connector. */
export const byConnectorErrors = connectionErrors.pick('connection_not_found', 'ambiguous_connection')
