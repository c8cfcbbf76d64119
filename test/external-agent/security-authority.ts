import { test } from 'vitest'
export function describeAuthority(): void { test.todo('x') }
