import { test } from 'vitest'
export function describeCanaries(): void { test.todo('x') }
