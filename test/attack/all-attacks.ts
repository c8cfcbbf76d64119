import type { Attack } from './attack.ts'
import { FILE_ATTACKS } from './file-attacks.ts'
import { GIT_ATTACKS } from './git-attacks.ts'
import { inWholeProject } from './in-whole-project.ts'
import { MOUNT_ATTACKS } from './mount-attacks.ts'
import { ODD_ATTACKS } from './odd-attacks.ts'
import { PLANT_ATTACKS } from './plant-attacks.ts'

/** The same by an agent whose service is the whole project, with the repository in it. */
const ALSO_IN_PROJECT =
  /^a switch of branches writes|goes on in (?:secrets|outside)|link to (?:outside|secrets|home|the own)$/

const OWN = [...GIT_ATTACKS, ...FILE_ATTACKS, ...ODD_ATTACKS]

export const ATTACKS: readonly Attack[] = [
  ...GIT_ATTACKS,
  ...MOUNT_ATTACKS,
  ...PLANT_ATTACKS,
  ...FILE_ATTACKS,
  ...ODD_ATTACKS,
  ...OWN.filter(({ name }) => ALSO_IN_PROJECT.test(name)).map(inWholeProject),
]
