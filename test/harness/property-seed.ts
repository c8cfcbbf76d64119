// Properties are tried with the same values on every run, so that a green commit stays green and a red
// run can be repeated. `KNOWTATION_TEST_SEED=random` (or a number) looks for values not tried yet.
import fc from 'fast-check'

const FIXED_SEED = 20_260_401

function seedOfThisRun(asked: string | undefined): number | undefined {
  if (asked === 'random') return undefined
  const seed = asked === undefined ? FIXED_SEED : Number(asked)
  if (!Number.isSafeInteger(seed))
    throw new Error(`KNOWTATION_TEST_SEED is "${asked}": give a whole number, or "random".`)
  return seed
}

const seed = seedOfThisRun(process.env.KNOWTATION_TEST_SEED)
if (seed !== undefined) fc.configureGlobal({ seed })
