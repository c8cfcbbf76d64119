import { errorTable } from '../../operations/errors.ts'

export const adminErrors = errorTable({
  unknown_token: {
    status: 404,
    message: 'unknown_token',
    says: 'There is no such token here.',
    hint: '`knowtation token list` shows the tokens.',
  },
  nothing_sealed: {
    status: 409,
    message: 'Nothing is sealed here yet, so there is no key to exchange.',
    hint: 'A key is made with the first credential of a connection; until then there is none.',
  },
  secrets_key_unusable: {
    status: 409,
    message: 'The secrets key cannot be exchanged.',
    hint: 'Nothing was changed. Mend what is named, or delete the connection or subscription that it belongs to.',
  },
})
