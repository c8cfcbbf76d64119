import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Native modules and tests that kill or fill things stay apart from each other in processes.
    pool: 'forks',
    // One more than the cores it is meant for: much of a test is waiting for a child, a lease or a clock.
    maxWorkers: 3,
    globalSetup: ['test/store/postgres-global-setup.ts'],
    setupFiles: ['test/harness/property-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 15_000,
  },
})
