import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { GuardScope } from '../../src/platform/guard/guard.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'

const { scope, folder } = workerData as { scope: GuardScope; folder: string }
const guard = openGuard(scope)
const found: string[] = []
guard.walk(folder, { recursive: true }, (file) => {
  const bytes = file.read(1_000)
  if (bytes && file.confirm()) found.push(`${file.path} ${bytes.toString()}`)
  return 'go_on'
})
guard.close()
const port = parentPort as MessagePort
port.postMessage(found, [])
