import { describe, expect } from 'vitest'
import { findUsage } from '../../src/domains/toolbox/knowledge/find-usage.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { expectMarked, usagesOf } from './usage-service.fixture.ts'

/** Each call starts a program of its own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }

/** Languages whose parsers are installed beside the hub. */
const CASES: Readonly<Record<string, readonly (readonly [path: string, symbol: string, text: string])[]>> = {
  'C#': [
    [
      'Guard.cs',
      'Read',
      `using Shop.Pay; // Read
using «i»Read = Shop.Pay.Read2;
namespace Shop { class Guard<T> : Base, IShow { int «d»Read { get; set; }
  void «d»Read(int «d»Read, string a = "Read") { this.«r»Read(); Guard.«r»Read<int>(a); foreach (var «d»Read in list) {} }
  enum E { «d»Read, Other } } }
`.replace('«i»Read', '«d»Read'),
    ],
    [
      'b.cs',
      'Guard.Read',
      'class Guard { void «d»Read() { «r»Read(); } }\nclass O { void M(Guard g) { g.«r»Read(); x.Read(); var h = new Guard(); h.«r»Read<int>(); } }\n',
    ],
  ],
  Kotlin: [
    [
      'a.kt',
      'read',
      `package shop.pay // read
import shop.«i»read
class Guard(val «d»read: String) { fun «d»read(«d»read: Int): Int { this.«r»read; return Guard.X.«r»read() }
  companion object { const val «d»read = "read" } }
fun <T> Box.«d»read(x: T) = «r»read
fun main() { val («d»read, b) = pair; list.map { «d»read -> «r»read }; try {} catch («d»read: Oops) {}; val f = Guard::«r»read }
`,
    ],
    [
      'b.kt',
      'Guard.read',
      'class Guard { fun «d»read() { this.«r»read() } }\nfun main(g: Guard) { g.«r»read(); x.read(); val h = Guard(); h.«r»read() }\n',
    ],
  ],
  PHP: [
    [
      'a.php',
      'read',
      `<?php // read
use Shop\\«i»read;
function «d»read($«d»read) { return "read" . $«r»read; }
class Guard { public $«d»read; const «d»read = 1; public function «d»read() { $this->«r»read(); self::«r»read; Guard::«r»read(); $a?->«r»read; } }
`,
    ],
    [
      'b.php',
      'Guard.read',
      '<?php\nclass Guard { function «d»read() { $this->«r»read(); } }\nfunction f(Guard $g) { $g->«r»read(); $x->read(); $h = new Guard(); $h->«r»read(); }\n',
    ],
  ],
  Ruby: [
    [
      'a.rb',
      'read',
      `# read
module Shop
  class Guard
    def «d»read(«d»read2, «d»read = 1) "read" end
    def self.«d»read; «d»read = 2; «r»read = 3; end
  end
end
Guard.new.«r»read
[1].each { |«d»read| «r»read }
`.replace('«d»read2', 'read2'),
    ],
    [
      'b.rb',
      'Guard.read',
      'class Guard\n  def «d»read; self.«r»read; end\nend\ng = Guard.new\ng.«r»read\nx.read\n',
    ],
  ],
  C: [
    [
      'a.c',
      'box',
      `#include "box.h" /* box */
#define «d»box 1
struct «d»box { int «d»box; };
struct «r»box *open(struct «r»box *«d»box, int a[«r»box]) { «r»box->«r»box = "box"; goto box; box: return «r»box; }
typedef struct «r»box «d»box;
`,
    ],
  ],
  'C++': [
    [
      'a.cpp',
      'read',
      `namespace shop { class Guard { public: int «d»read(); template <class T> T «d»read(T t); int «d»read; }; }
int Guard::«d»read() { return this->«r»read + «r»read<int>(1); }
using shop::«i»read; using «d»read = int;
`,
    ],
    [
      'b.cpp',
      'Guard::read',
      'class Guard { int «d»read() { return this->«r»read(); } };\nint Guard::«d»read(int a) { return 1; }\nvoid f(Guard g) { g.«r»read(); x.read(); Guard::«r»read(); }\n',
    ],
  ],
}

describe('find_usage, with parsers beside the hub', SLOW, () => {
  for (const [language, cases] of Object.entries(CASES))
    verifies('TOOL-103', `tells definitions, references and imports apart in ${language}`, async () => {
      await using project = await makeFilesProject()
      for (const [path, symbol, text] of cases) await expectMarked(project, path, symbol, text)
    })
})

describe('a file', SLOW, () => {
  verifies('TOOL-103', 'whose syntax has errors is reported, with the lines that may be uses', async () => {
    await using project = await makeFilesProject()
    const odd = 'f(sql<{…}>`…`)\n'
    project.put('broken.ts', `${odd}// greet\ngreet()\n${odd}log(\`greet\n)))\n`)
    project.put('whole.ts', 'greet()\n')
    const { data } = await project.call(findUsage, { symbol: 'greet' })
    expect(data?.files_broken.map(({ file }) => file)).toEqual(['broken.ts'])
    const told = data?.usages.filter(({ file }) => file === 'broken.ts').map(({ line }) => line) ?? []
    expect([...told, ...(data?.files_broken[0]?.lines ?? [])].toSorted()).toEqual([3, 5])
    expect(data?.usages).toContainEqual(expect.objectContaining({ file: 'whole.ts' }))
  })

  verifies('TOOL-103', 'of which a sign is missing is reported, in every language', async () => {
    await using project = await makeFilesProject()
    const files: Record<string, string> = {
      'Open.cs': 'class A { void greet( { } }\n',
      'Open.java': 'class A {\n  void greet( {\n  }\n}\n',
      'open.c': 'int greet( {\n}\n',
      'open.cpp': 'int greet( {\n}\n',
      'open.go': 'package a\nfunc greet( {\n}\n',
      'open.js': 'function greet( {\n}\n',
      'open.kt': 'fun greet( {\n}\n',
      'open.php': '<?php\nfunction greet( {\n}\n',
      'open.py': 'def greet(:\n  pass\n',
      'open.rb': 'def greet(\nend\n',
      'open.rs': 'fn greet( {\n}\n',
      'open.ts': 'function greet( {\n}\n',
    }
    for (const [path, text] of Object.entries(files)) project.put(path, text)
    project.put('whole.py', 'greet()\n')
    const { data } = await project.call(findUsage, { symbol: 'greet' })
    expect(data?.files_broken.map(({ file }) => file)).toEqual(Object.keys(files))
  })

  verifies('TOOL-103', 'that a tool made comes after what people wrote', async () => {
    await using project = await makeFilesProject()
    project.put('a.min.js', 'greet()\n')
    project.put('b.ts', '// Code generated by lidgen. DO NOT EDIT.\ngreet()\n')
    project.put('z.ts', 'greet()\n')
    expect(await usagesOf(project, 'greet')).toEqual([
      'z.ts:1:1 reference',
      'a.min.js:1:1 reference',
      'b.ts:2:1 reference',
    ])
  })
})
