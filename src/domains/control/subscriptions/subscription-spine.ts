import type { Spine } from '../spine/spine.ts'

interface Named {
  subscription_id?: string
}

/** The event that a change to a subscription leaves in the owner's record. */
export function subscriptionSpine<Input>(
  act: 'create' | 'update' | 'delete' | 'test',
): Spine<Input, { subscription_id: string }> {
  return {
    event: `owner_agent.event_subscription.${act}`,
    operation: `${act}_event_subscription`,
    object: (input, output) => ({
      type: 'event_subscription',
      id: output?.subscription_id ?? (input as Named).subscription_id,
    }),
  }
}
