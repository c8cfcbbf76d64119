import { FileFault } from '../../src/platform/guard/guard.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'

/** Overwrites a file of a folder as a user without rights of their own; prints how that ended. */
const [, , folder = ''] = process.argv
process.setgroups?.([])
process.setgid?.(65_534)
process.setuid?.(65_534)
const guard = openGuard({ service_root: folder, shared_roots: [], block_patterns: [], hard_link_stores: [] })
try {
  guard.writeFile('a.txt', Buffer.from('new\n'))
  process.stdout.write('done')
} catch (error) {
  process.stdout.write(error instanceof FileFault ? error.code : String(error))
}
