import { errorTable } from '../../../operations/errors.ts'

/** What can be wrong with the run or the schedule that a call is about. */
export const runErrors = errorTable({
  run_already_active: {
    status: 409,
    message: 'A run of the connection is active already.',
    hint: '`knowtation owner run list` shows the run; `owner run watch` follows it to its end.',
  },
  run_not_found: {
    status: 404,
    message: 'There is no such run.',
    hint: '`knowtation owner run list` shows the runs of a connection.',
  },
  run_not_active: {
    status: 409,
    message: 'The run has ended already.',
    hint: '`knowtation owner run show` tells how it ended.',
  },
  schedule_not_found: {
    status: 404,
    message: 'The connection has no schedule.',
    hint: '`knowtation owner schedule set` gives the connection one.',
  },
  // The address is one that the catalog offers for every connection, so this is no 404.
  connection_not_scheduled: {
    status: 409,
    message: 'The connection has no schedule to pause or resume.',
    hint: '`knowtation owner schedule set` gives the connection a schedule.',
  },
})
