import { test } from 'vitest'
export function describePolicy(): void { test.todo('x') }
