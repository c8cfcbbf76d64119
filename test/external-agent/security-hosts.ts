import { test } from 'vitest'
export function describeHosts(): void { test.todo('x') }
