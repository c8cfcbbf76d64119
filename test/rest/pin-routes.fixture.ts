import type { Expectation } from './routes.fixture.ts'

const digest = `sha256:${'0'.repeat(64)}`
const provider = { provider: 'nobody' }
const review = { review_id: `pinr_${'0'.repeat(16)}` }

const expects = (answer: string, input: Record<string, unknown> = {}): Expectation => ({
  needs: 'owner_surface',
  answer,
  input: () => input,
})

/** Imports with pins, and reviews of what has changed since. */
export const PIN_ROUTES: Readonly<Record<string, Expectation>> = {
  owner_provider_import: expects('404 unknown_provider', provider),
  owner_provider_take: expects('404 unknown_provider', { ...provider, digest, all: true }),
  owner_pin_review_list: expects('200'),
  owner_pin_review_show: expects('404 unknown_review', review),
  owner_pin_review_keep: expects('404 unknown_review', review),
  owner_pin_review_accept: expects('404 unknown_review', { ...review, digest }),
}
