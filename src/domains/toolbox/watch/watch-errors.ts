import { errorTable } from '../../../operations/errors.ts'

export const watchErrors = errorTable({
  unknown_alert: { status: 404, message: 'unknown_alert' },
  unknown_lock: { status: 404, message: 'unknown_lock' },
  too_many_locks: { status: 409, message: 'There are too many locks. Release some, or lock everything.' },
})
