import type { Door, SeatName } from './attack.ts'
import { openStdio, type Seat, type Served, type Session, serveHub } from './hub-sessions.ts'
import { keepLookout, type Lookout } from './look-after.ts'
import type { World } from './world.ts'

/** A world with the hubs that are attacked in it; each is started when it is first needed and stays. */
export interface Stage extends AsyncDisposable {
  readonly world: World
  lookout: Lookout
  /** Puts everything back, and takes what is there now for what has to stay. */
  renew(): void
  session(door: Door, seat: SeatName, role?: Seat['role']): Promise<Session>
}

const SERVICES: Readonly<Record<SeatName, string>> = { service: 'services/web', project: '.' }

export function openStage(world: World): Stage {
  const sessions = new Map<string, Promise<Session>>()
  const [home, other_home] = world.homes
  let served: Promise<Served> | undefined
  const open = async (door: Door, seat: Seat): Promise<Session> => {
    if (door === 'alias') return openStdio(world, home, seat, world.alias)
    if (door !== 'rest') return openStdio(world, door === 'other_home' ? other_home : home, seat)
    served ??= serveHub(world, home)
    return (await served).open(seat)
  }
  const stage: Stage = {
    world,
    lookout: keepLookout(world),
    renew() {
      world.restore()
      stage.lookout = keepLookout(world)
    },
    session(door, seat, role = 'dev') {
      if (door === 'doomed') return open(door, { service: SERVICES[seat], role })
      const key = `${door} ${seat} ${role}`
      const known = sessions.get(key) ?? open(door, { service: SERVICES[seat], role })
      sessions.set(key, known)
      return known
    },
    async [Symbol.asyncDispose]() {
      const opened = await Promise.allSettled(sessions.values())
      for (const each of opened) if (each.status === 'fulfilled') await each.value.close()
      await (await served)?.close()
    },
  }
  return stage
}
