import { openSemaphore, type Semaphore } from './semaphore.ts'

/** How whoever has to wait can be told to stop, and how many may wait. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  readonly bound?: Parameters<typeof openSemaphore>[1]
}

const in_use = new Map<string, { readonly semaphore: Semaphore; users: number }>()

/**
 * Does something in one of the places that this process has for a name: it bounds the threads, child processes and
 * memory of all hubs in it. Those who come meanwhile wait in the order they came.
 */
export async function withSlot<Result>(
  name: string,
  at_once: number,
  act: () => Promise<Result>,
  { signal, bound }: WaitOptions = {},
): Promise<Result> {
  const slots = in_use.get(name) ?? { semaphore: openSemaphore(at_once, bound), users: 0 }
  in_use.set(name, slots)
  slots.users++
  try {
    return await slots.semaphore.run(act, signal)
  } finally {
    slots.users--
    if (slots.users === 0) in_use.delete(name)
  }
}

/** Does something alone in this process, for a key such as the folder it is done in. */
export function withMutex<Result>(
  key: string,
  act: () => Promise<Result>,
  options?: WaitOptions,
): Promise<Result> {
  return withSlot(key, 1, act, options)
}

/** Whether somebody in this process holds the mutex of a key, or waits for it. */
export function isMutexHeld(key: string): boolean {
  return in_use.has(key)
}
