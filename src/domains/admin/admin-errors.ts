import { errorTable } from '../../operations/errors.ts'

export const adminErrors = errorTable({
  unknown_token: { status: 404, message: 'unknown_token' },
  nothing_sealed: { status: 409, message: 'Nothing is sealed here yet, so there is no key to exchange.' },
  secrets_key_unusable: { status: 409, message: 'The secrets key cannot be exchanged.' },
})
