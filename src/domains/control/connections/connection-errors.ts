import { errorTable } from '../../../operations/errors.ts'

/** What can be wrong with the connection that a call is about. */
export const connectionErrors = errorTable({
  connector_instance_not_found: {
    status: 404,
    message: 'There is no such connection.',
    hint: '`knowtation owner connection list` shows the connections.',
  },
  connection_not_found: {
    status: 404,
    message: 'This connector has no connection that the call could mean.',
  },
  ambiguous_connection: {
    status: 409,
    message: 'This connector has several connections: name one by its connection_id.',
  },
  connector_instance_inactive: {
    status: 400,
    message: 'The connection is revoked.',
    hint: '`knowtation owner connection reactivate` takes it up again.',
  },
  connector_instance_not_revoked: { status: 409, message: 'The connection is not revoked.' },
  connection_run_active: {
    status: 409,
    message: 'A run of the connection is active. Nothing was erased.',
    hint: '`knowtation owner run list` shows the run; wait for it, or stop it with `owner run cancel`.',
  },
  delete_connection_unsupported: {
    status: 409,
    message: 'This hub does not offer the delete cascade contract for connections. Nothing was erased.',
    hint: 'Set control.delete_connection in the config.yaml of the hub, and start it again.',
  },
})

/** The codes of a call that names its connection by `connection_id`. */
export const byIdErrors = connectionErrors.pick('connector_instance_not_found')
/** The codes of a call that names only the connector. */
export const byConnectorErrors = connectionErrors.pick('connection_not_found', 'ambiguous_connection')
