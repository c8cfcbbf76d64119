import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeGitProject } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { getRelatedTests } from '../../src/domains/toolbox/knowledge/get-related-tests.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import { verifies } from '../requirements/verifies.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'
import { startToolHub, type ToolHub, WAYS } from './surface-hub.fixture.ts'

/** Each call starts a program of its own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }

/** The tests of a file, as `path: reasons`. */
async function testsOf(project: FilesProject, file_path: string): Promise<string[]> {
  const { code, data, message } = await project.call(getRelatedTests, { file_path })
  if (!data) throw new Error(`${code}: ${message}`)
  return data.tests.map(({ path, reasons }) => `${path}: ${reasons.join('; ')}`)
}

function putAll(project: FilesProject, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) project.put(path, text)
}

describe('over every surface', SLOW, () => {
  let tools: ToolHub
  beforeAll(async () => {
    tools = await startToolHub()
    tools.project.write('services/other/main.test.mjs', "import '../web/src/main.mjs'\n")
    tools.project.write('services/web/src/far.test.mjs', 'console.log(1)\n')
  })
  afterAll(() => tools[Symbol.asyncDispose]())
  const codeAt = (file_path: string) => tools.codeOf('direct', 'get_related_tests', { file_path })

  verifies('TOOL-104', 'a test that imports the source and has its name is found, and no other', async () => {
    for (const way of WAYS) {
      const { data } = await tools.call(way, 'get_related_tests', { file_path: 'src/main.mjs' })
      expect(data, way).toMatchObject({
        tests: [
          {
            path: 'src/main.test.mjs',
            reasons: ['imports src/main.mjs', 'has its name', 'changed together in 1 of 1 commit'],
          },
        ],
        capped: false,
      })
      expect(data.tests[0].score).toBeGreaterThan(0.9)
    }
  })

  verifies(
    'TOOL-104',
    'a missing file is FileNotFound, and nothing outside of the seat is told',
    async () => {
      expect(await codeAt('src/none.mjs')).toBe('FileNotFound')
      expect(await codeAt('src')).toBe('IsADirectory')
      for (const path of ['../other/x.txt', '/etc/passwd', '.env'])
        expect(await codeAt(path), path).toBe('SecurityError')
    },
  )
})

describe('by imports', SLOW, () => {
  verifies('TOOL-104', 'scripts: by indexes of indexes, and by the package itself', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'package.json': '{"name":"shop","exports":{".":{"import":{"default":"./begin.js"}}}}',
      'begin.js': "module.exports = require('./lib/core')\n",
      'lib/core.js': 'exports.a = 1\n',
      'lib/deep/index.js': "export * from './all'\n",
      'lib/deep/all.js': "export * from './money'\n",
      'lib/deep/money.js': 'export const money = 1\n',
      'index.js': '',
      'lib/tags.js': '',
      'test/a.test.js': "require('shop')\n",
      'test/b.test.js': "import 'shop/deep'\n",
      'test/c.test.js': "require('../')\n",
      'test/help/index.js': '',
      'test/tags.svelte.test.js': '',
      'examples/one/index.js': '',
    })
    expect(await testsOf(project, 'lib/core.js')).toEqual([
      'test/a.test.js: imports begin.js, which imports lib/core.js',
    ])
    expect(await testsOf(project, 'lib/deep/money.js')).toEqual([
      'test/b.test.js: imports lib/deep/index.js, which hands on lib/deep/money.js',
    ])
    expect(await testsOf(project, 'lib/deep/index.js')).toEqual(['test/b.test.js: imports lib/deep/index.js'])
    expect(await testsOf(project, 'examples/one/index.js')).toEqual([])
    expect(await testsOf(project, 'lib/tags.js')).toEqual(['test/tags.svelte.test.js: has its name'])
    expect(await testsOf(project, 'index.js')).toContain('test/c.test.js: imports index.js')
  })

  verifies(
    'TOOL-104',
    'TypeScript: direct, by an index that hands it on, and by a file that uses it',
    async () => {
      await using project = await makeFilesProject()
      putAll(project, {
        'src/cart/total.ts': 'export const total = 1\n',
        'src/cart/index.ts': "export { total } from './total.js'\n",
        'src/shop.ts': "import { total } from './cart/total.ts'\n",
        'test/a.test.ts': "import {\n  total,\n} from '../src/cart/total.ts'\n",
        'test/b.test.ts': "import { total } from '../src/cart'\n",
        'test/c.spec.tsx': "const { x } = await import('../src/shop')\n",
        'test/d.test.ts': "// import '../src/cart/total.ts'\nimport '../src/cart/totals.ts'\n",
        'test/e.test.js': "vi.mock('@/cart/total')\n",
        'src/other/total.ts': '',
      })
      expect(await testsOf(project, 'src/cart/total.ts')).toEqual([
        'test/a.test.ts: imports src/cart/total.ts',
        'test/e.test.js: imports src/cart/total.ts',
        'test/b.test.ts: imports src/cart/index.ts, which imports src/cart/total.ts',
        'test/c.spec.tsx: imports src/shop.ts, which imports src/cart/total.ts',
      ])
    },
  )

  verifies('TOOL-104', 'Python', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'src/shop/cart.py': 'def total(): pass\n',
      'src/shop/__init__.py': 'from .cart import total\n',
      'tests/test_one.py': 'from shop.cart import total\n',
      'tests/test_two.py': 'from shop import (\n    cart,\n    other,\n)\n',
      'tests/test_three.py': 'import shop\n',
      'tests/test_four.py': '# from shop.cart import total\nimport shops\n',
      'tests/test_cart.py': 'pass\n',
    })
    expect(await testsOf(project, 'src/shop/cart.py')).toEqual([
      'tests/test_one.py: imports src/shop/cart.py',
      'tests/test_two.py: imports src/shop/cart.py',
      'tests/test_three.py: imports src/shop/__init__.py, which imports src/shop/cart.py',
      'tests/test_cart.py: has its name',
    ])
  })

  verifies('TOOL-104', 'names that settings give to folders, and packages of a workspace', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'packages/core/package.json': '{"name":"@shop/core","exports":{".":"./src/all.ts"}}',
      'packages/core/src/all.ts': "export * from './money'\n",
      'packages/core/src/money.ts': '',
      'packages/app/package.json': '{"private":true,"author":{"name":"x"},"name":"app"}',
      'packages/app/tsconfig.json': `// where names lead
{ "compilerOptions": { "paths": { "views/*": ["./src/pages/*"], /* one */ "~lib": ["src/lib/index.ts"], }, }, }
`,
      'packages/app/src/pages/cart.tsx': '',
      'packages/app/src/lib/index.ts': '',
      'packages/app/test/a.test.ts': "import { Cart } from 'views/cart'\n",
      'packages/app/test/b.test.ts': "import '~lib'\nimport { sum } from '@shop/core'\n",
      'packages/app/test/c.test.ts': "import { sum } from '@shop/core/money'\n",
    })
    expect(await testsOf(project, 'packages/app/src/pages/cart.tsx')).toEqual([
      'packages/app/test/a.test.ts: imports packages/app/src/pages/cart.tsx',
    ])
    expect(await testsOf(project, 'packages/app/src/lib/index.ts')).toEqual([
      'packages/app/test/b.test.ts: imports packages/app/src/lib/index.ts',
    ])
    expect(await testsOf(project, 'packages/core/src/money.ts')).toEqual([
      'packages/app/test/c.test.ts: imports packages/core/src/money.ts',
      'packages/app/test/b.test.ts: imports packages/core/src/all.ts, which imports packages/core/src/money.ts',
    ])
  })

  verifies('TOOL-104', 'a file of tests beside its module', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'Cargo.toml': '[package]\nname = "shop"\n',
      'src/pay.rs': 'pub fn pay() {}\n',
      'src/pay/tests.rs': 'use super::*;\n',
      'app/models.py': '',
      'app/tests.py': 'from .models import Cart\n',
    })
    expect(await testsOf(project, 'src/pay.rs')).toEqual(['src/pay/tests.rs: imports src/pay.rs'])
    expect(await testsOf(project, 'app/models.py')).toEqual(['app/tests.py: imports app/models.py'])
  })

  verifies('TOOL-104', 'Go', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'go.mod': 'module example.org/shop\n',
      'cart/cart.go': 'package cart\n',
      'cart/cart_test.go': 'package cart\n',
      'cart/more_test.go': 'package cart_test\n',
      'pay/pay_test.go': 'package pay\nimport (\n\t"fmt"\n\tc "example.org/shop/cart"\n)\n',
      'pay/other_test.go': 'package pay\nimport "example.org/shop/cartel"\n',
    })
    expect(await testsOf(project, 'cart/cart.go')).toEqual([
      'cart/cart_test.go: is in the package cart; has its name',
      'pay/pay_test.go: imports the package of cart/cart.go',
      'cart/more_test.go: is in the package cart',
    ])
  })

  verifies('TOOL-104', 'Rust, with the tests in the file itself', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'Cargo.toml': '[package]\nname = "my-shop"\n',
      'src/lib.rs': 'pub mod cart;\npub use cart::Cart;\n',
      'src/cart.rs': 'pub struct Cart;\n#[cfg(test)]\nmod tests { use super::*; }\n',
      'src/pay.rs': '',
      'tests/cart.rs': 'use my_shop::cart::{Cart, other as o};\n',
      'tests/flow.rs': 'use my_shop::Cart;\n',
      'tests/pay.rs': 'use my_shop::pay::Pay;\n',
      'tests/own.rs': 'mod cart;\nuse crate::cart::Cart;\n',
      'other/Cargo.toml': '[package]\nname = "other"\n',
      'other/src/lib.rs': 'pub mod cart;\n#[cfg(test)]\nmod tests {}\n',
      'other/tests/all.rs': 'use other::cart::Cart;\nuse crate::cart;\n',
    })
    expect(await testsOf(project, 'src/cart.rs')).toEqual([
      'tests/cart.rs: imports src/cart.rs; has its name',
      'src/cart.rs: has tests of its own in it',
      'tests/flow.rs: imports src/lib.rs, which imports src/cart.rs',
    ])
  })

  verifies('TOOL-104', 'Java', async () => {
    await using project = await makeFilesProject()
    putAll(project, {
      'src/main/java/com/shop/Cart.java': 'package com.shop;\nclass Cart {}\n',
      'src/test/java/com/shop/CartTest.java': 'package com.shop;\nclass CartTest { Cart c; }\n',
      'src/test/java/com/shop/PayTest.java': 'package com.shop;\nclass PayTest {}\n',
      'src/test/java/com/web/PageIT.java': 'package com.web;\nimport com.shop.Cart;\nclass PageIT {}\n',
      'src/test/java/com/web/AllTest.java':
        'package com.web;\nimport com.shop.*;\nclass AllTest { Cart c; }\n',
    })
    expect(await testsOf(project, 'src/main/java/com/shop/Cart.java')).toEqual([
      'src/test/java/com/shop/CartTest.java: is in the package com.shop and names it; has its name',
      'src/test/java/com/web/AllTest.java: imports src/main/java/com/shop/Cart.java',
      'src/test/java/com/web/PageIT.java: imports src/main/java/com/shop/Cart.java',
    ])
  })
})

describe('by names', SLOW, () => {
  verifies(
    'TOOL-104',
    'in the form of each language, nearest first; not those of another source',
    async () => {
      await using project = await makeFilesProject()
      const forms = [
        ['lib/a/user.ts', 'lib/a/user.test.ts', 'lib/a/__tests__/user.ts'],
        ['app/order.py', 'tests/test_order.py', 'tests/order_test.py'],
        ['lib/b/item.rb', 'spec/b/item_spec.rb', 'test/b/item_test.rb'],
        ['src/FooBar.kt', 'src/test/FooBarTest.kt'],
      ]
      for (const path of forms.flat()) project.put(path, 'x\n')
      for (const [source = '', ...tests] of forms) {
        const found = await testsOf(project, source)
        expect(found.toSorted(), source).toEqual(tests.map((path) => `${path}: has its name`).toSorted())
      }
      project.put('lib/c/user.ts', 'x\n')
      expect(await testsOf(project, 'lib/c/user.ts')).toEqual([])
      expect(await testsOf(project, 'lib/a/user.test.ts')).toEqual(['lib/a/user.test.ts: is a test itself'])
    },
  )
})

describe('by the history', SLOW, () => {
  verifies('TOOL-104', 'tests that were changed together with the source more than once', async () => {
    await using project = makeGitProject()
    const commit = (...paths: string[]) => {
      for (const path of paths) project.put(path, `${Math.random()}\n`)
      project.commitAll()
    }
    project.write('services/other/far.test.ts', 'x\n')
    commit('src/a.ts', 'src/b.ts', 'test/flow.test.ts', 'test/once.test.ts')
    commit('src/a.ts', 'test/flow.test.ts', 'test/gone.test.ts', 'src/b.ts')
    commit('src/a.ts', 'test/gone.test.ts', 'secrets/k.test.ts')
    commit('src/a.ts', 'secrets/k.test.ts')
    commit('src/a.ts', ...Array.from({ length: 60 }, (_, index) => `test/${index}.test.ts`))
    commit('src/a.ts', ...Array.from({ length: 60 }, (_, index) => `test/${index}.test.ts`))
    project.git('rm', '--quiet', 'services/shop/test/gone.test.ts')
    const { tests, notes } = await project.call(getRelatedTests, { file_path: 'src/a.ts' })
    expect(tests).toEqual([
      {
        path: 'test/flow.test.ts',
        reasons: ['changed together in 2 of 4 commits'],
        score: expect.any(Number),
      },
    ])
    expect(notes).toEqual([])
  })

  test('that cannot be read is told, and the rest is found', async () => {
    await using project = makeGitProject()
    project.put('a.ts', 'x\n')
    project.put('a.test.ts', 'x\n')
    const ask = async (changes: object) => project.call(getRelatedTests, { file_path: 'a.ts' }, changes)
    const bare = openSandbox({ bwrap_paths: ['/nonexistent/bwrap'] })
    for (const changes of [{ sandbox: bare }, { context: { allowed_commands: ['npm'] } }, {}]) {
      const { tests, notes } = await ask(changes)
      expect(tests).toMatchObject([{ path: 'a.test.ts', reasons: ['has its name'] }])
      expect(notes).toEqual([expect.stringContaining('The git history was not looked at')])
    }
  })
})
