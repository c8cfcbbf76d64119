import { errorTable } from '../../../operations/errors.ts'

/** What can go wrong with event subscriptions. */
export const subscriptionErrors = errorTable({
  subscription_not_found: { status: 404, message: 'There is no such subscription.' },
  invalid_callback_url: { status: 400, message: 'Events cannot be sent to this address.' },
  subscription_revoked: {
    status: 409,
    message: 'The approval behind this subscription has ended. It cannot be used again: make a new one.',
  },
  subscription_not_active: { status: 409, message: 'The subscription is not active.' },
  too_many_subscriptions: { status: 409, message: 'There are as many subscriptions as there may be.' },
  cursor_expired: {
    status: 410,
    message: 'Events after this cursor are no longer kept. Begin again without a cursor.',
  },
})
