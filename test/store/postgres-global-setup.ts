import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-server.ts'

/** Starts one PostgreSQL for the whole run and gives every test file its address. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return server.stop
}
