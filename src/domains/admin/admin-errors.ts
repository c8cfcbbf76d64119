import { errorTable } from '../../operations/errors.ts'

export const adminErrors = errorTable({
  unknown_token: { status: 404, message: 'unknown_token' },
})
