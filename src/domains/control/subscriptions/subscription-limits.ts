/** So many subscriptions can be there at once, each with a lane of its own. */
export const SUBSCRIPTION_LIMIT = 256
