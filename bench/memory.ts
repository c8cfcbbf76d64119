import { setTimeout as pause } from 'node:timers/promises'
import { startHubProcess, temporaryFolder } from './hub-process.ts'
import { idleShare, residentMegabytes } from './machine.ts'
import { drive, renderRequest } from './raw-driver.ts'
import { tellVerdict } from './verdict.ts'

const REST_MS = 2_000
const REQUESTS = 100_000
const CONNECTIONS = 50
const PATHS = [
  '/api/v1/flows/flow_capture_to_note',
  '/api/v1/flows?limit=50',
  '/api/v1/flows/flow_research_brief',
]

const home = temporaryFolder()
const hub = await startHubProcess(home.folder)
try {
  console.log(`Memory of the hub's process, at rest and over ${REQUESTS} requests`)
  console.log(`  idle before ${((await idleShare()) * 100).toFixed(0)} %`)
  await pause(REST_MS)
  const atRest = residentMegabytes(hub.pid)
  const headers = { authorization: `Bearer ${hub.token}` }
  let highest = 0
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMegabytes(hub.pid))
  }, 100)
  const load = await drive({
    url: hub.url,
    connections: CONNECTIONS,
    requests: PATHS.map((path) => renderRequest(path, headers)),
    check(body, status) {
      if (status !== 200) throw new Error(`${status}: ${body}`)
    },
    limit: { calls: REQUESTS },
  })
  clearInterval(watch)
  const after = residentMegabytes(hub.pid)
  console.log(
    `  ${load.calls} requests in ${(load.ms / 1_000).toFixed(1)} s, highest ${highest.toFixed(0)} MB`,
  )
  tellVerdict({ name: 'memory at rest', measured: atRest, bar: '≤ 140', unit: 'MB' })
  tellVerdict({ name: `memory after ${REQUESTS} requests`, measured: after, bar: '≤ 200', unit: 'MB' })
} finally {
  await hub.end()
  home.remove()
}
