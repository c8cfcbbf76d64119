import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Native modules and tests that kill or fill things stay apart from each other in processes.
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/store/postgres-global-setup.ts'],
    setupFiles: ['test/harness/property-seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 15_000,
  },
})
