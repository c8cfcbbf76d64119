import { errorTable } from '../../../operations/errors.ts'

/** What can go wrong with event subscriptions. */
export const subscriptionErrors = errorTable({
  subscription_not_found: {
    status: 404,
    message: 'There is no such subscription.',
    hint: '`knowtation owner subscription list` shows the subscriptions.',
  },
  invalid_callback_url: {
    status: 400,
    message: 'Events cannot be sent to this address.',
    hint: 'Give an https address, or http on localhost, 127.0.0.1 or [::1].',
  },
  subscription_revoked: {
    status: 409,
    message: 'The approval behind this subscription has ended. It cannot be used again: make a new one.',
    hint: 'Make a new one with `knowtation owner subscription create`.',
  },
  subscription_not_active: {
    status: 409,
    message: 'The subscription is not active.',
    hint: '`knowtation owner subscription show` says why; `update --status active` lets it go on.',
  },
  too_many_subscriptions: {
    status: 409,
    message: 'There are as many subscriptions as there may be.',
    hint: 'Delete some: `knowtation owner subscription delete <subscription_id>`.',
  },
  cursor_expired: {
    status: 410,
    message: 'Events after this cursor are no longer kept. Begin again without a cursor.',
    hint: 'Leave out --cursor to read what is still kept.',
  },
})
