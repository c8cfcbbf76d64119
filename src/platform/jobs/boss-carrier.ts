import { type Carrier, LEASE_MS, type Ticket } from './job-queue.ts'

/** Connections beside the hub's own pool. */
const CONNECTIONS = 2
/** It is looked whether a worker has fallen silent no more often than this, and only while there are jobs. */
const SUPERVISE_SECONDS = 1
/** No job is worked on for longer. */
const EXPIRE_SECONDS = 43_200
/** A job goes to the next worker as often as it takes: whoever made it decides when it is enough. */
const RETRY_LIMIT = 10_000

interface JobData {
  readonly job_id: string
}

/** Carries jobs by pg-boss, in a schema of its own beside the hub's tables. */
export async function openBossCarrier(
  url: string,
  queue: string,
  onFault: (error: unknown) => void,
): Promise<Carrier> {
  // Loaded here: only a hub on PostgreSQL needs it, and it is large.
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'knowtation jobs',
    max: CONNECTIONS,
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  })
  boss.on('error', onFault)
  await boss.start()
  await boss.createQueue(queue, {
    // One job of a name at a time, waiting or worked on: adding it twice adds it once.
    policy: 'exclusive',
    retryLimit: RETRY_LIMIT,
    expireInSeconds: EXPIRE_SECONDS,
    heartbeatSeconds: LEASE_MS / 1_000,
  })
  let supervised = Number.NEGATIVE_INFINITY
  const supervise = async () => {
    if (performance.now() - supervised < SUPERVISE_SECONDS * 1_000) return
    supervised = performance.now()
    await boss.supervise(queue)
  }
  const touch = async (tickets: readonly Ticket[]) =>
    affectedBy(await boss.touch(queue, tickets.map(attemptOf)))
  return {
    async add(job_ids) {
      const jobs = job_ids.map((job_id) => ({ data: { job_id }, singletonKey: job_id }))
      if (jobs.length > 0) await boss.insert(queue, jobs)
    },
    async claim(limit) {
      await supervise()
      const found = await boss.fetch<JobData>(queue, { batchSize: limit })
      return found.map(({ id, retryCount, data }) => ({ job_id: data.job_id, token: `${id} ${retryCount}` }))
    },
    async renew(tickets) {
      if (tickets.length === 0) return []
      if ((await touch(tickets)) === tickets.length) return [...tickets]
      // It tells only how many were kept: where some were not, each is asked for.
      const kept = await Promise.all(tickets.map((ticket) => touch([ticket])))
      return tickets.filter((_, at) => kept[at] === 1)
    },
    finish: async (ticket) => void (await boss.deleteJob(queue, attemptOf(ticket))),
    close: () => boss.stop({ graceful: false }),
  }
}

/** How many jobs a command found; its declared type leaves that out. */
function affectedBy(response: object): number {
  return (response as { affected?: number }).affected ?? 0
}

function attemptOf({ token }: Ticket) {
  const [id = '', retryCount] = token.split(' ')
  return { id, retryCount: Number(retryCount) }
}
