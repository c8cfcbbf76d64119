import { describe } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { expectMarked } from './usage-service.fixture.ts'

/** Each call starts a program of its own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }

const CASES: Readonly<Record<string, readonly (readonly [path: string, symbol: string, text: string])[]>> = {
  TypeScript: [
    [
      'a.ts',
      'read',
      `// read
/* read */ import { «i»read } from '../../src/domains/admin/findings/files.ts'
import type { x as «i»read } from './read.ts'
export { «i»read } from './again.ts'
export { «r»read }
class A { «d»read(read2: string) { return this.«r»read('read') + \`read \${«r»read} \` } }
interface B { «d»read(): void; 'read': string }
type C = { «d»read: string }
enum D { «d»read, other = 'read' }
const { «d»read, read2: { «d»read: b = «r»read } } = «r»read
const o = { «r»read, «r»read: 1, «d»read() {}, ['read']: 2 }
function f(«d»read: string, { a = «r»read, ...rest }: C) { «r»read.«r»read.x; x?.«r»read }
try {} catch («d»read) {}
for (const «d»read of list) {}
for («r»read of list) {}
[«r»read, x] = list
read: for (;;) break read
const r = /read/
`.replace('«d»read: b = «r»read', '«r»read: b = «r»read'),
    ],
    [
      'b.ts',
      'T',
      'type «d»T = string\nfunction f<«d»T>(a: «r»T): a is «r»T { return a as «r»T }\nnamespace N { export type U = «r»T }\n',
    ],
    ['c.mts', '#x', 'class A { «d»#x = 1; m() { return this.«r»#x } }\n'],
    ['d.tsx', 'Foo', "import «i»Foo from './Foo'\nconst e = <«r»Foo a='Foo'>Foo {«r»Foo}</Foo>\n"],
    [
      'e.ts',
      'Rule',
      'type A<X> = X extends [infer T extends «r»Rule, ...infer «d»Rule] ? T : never\n' +
        'interface B { [«d»Rule: string]: «r»Rule }\n',
    ],
    [
      'f.ts',
      'lease',
      `{ using «d»lease = open(); await using other = «r»lease }
const kept = await import('./kept').then((«d»lease) => «r»lease.kept)
for (other of list) run((«d»lease) => «r»lease)
«r»lease = 1
`,
    ],
    [
      'g.tsx',
      'Panel',
      "import * as «i»Panel from './p'\nconst e = <«r»Panel.Head><«r»Panel /><my.«r»Panel a={«r»Panel}>x</my.Panel></Panel.Head>\n",
    ],
    ['h.tsx', 'my-tag', 'const e = <«r»my-tag a="my-tag">my-tag</my-tag>\n'],
    ['i.jsx', 'Panel', 'const e = <«r»Panel class="Panel"><b.«r»Panel/></Panel>\n'],
    ['é.ts', 'näme', "const «d»näme = '😀'; log('😀näme', «r»näme)\n"],
  ],
  JavaScript: [
    [
      'a.js',
      'greet',
      `const { «i»greet } = require('./greet')
const { «i»greet: other } = require('./greet')
const «i»greet = await import('greet')
exports.«d»greet = (greet2) => "greet" + «r»greet
module.exports.«d»greet = 1
Made.prototype.«d»greet = function «d»greet() {}
class A { constructor() { this.«d»greet = 1 } set() { this.«r»greet = 2 } }
class B { «d»greet = 1; static «d»greet() {} }
const h = { «d»greet: () => 1, x: «r»greet }
function f(«d»greet, ...more) {}
`,
    ],
    [
      'c.jsx',
      'hero',
      `export function «d»hero() { return <p class="hero" for={«r»hero}>hero <b class='hero'>hero</b></p> }
const text = 'hero'
`,
    ],
    ['b.jsx', 'Row', 'export const «d»Row = ({ a }) => <li>{a} Row</li>\nconst t = <«r»Row a={1} />\n'],
  ],
  Python: [
    [
      'a.py',
      'limit',
      `from config import «i»limit, x as «i»limit
import pkg.«i»limit
«d»limit = 1  # limit
«r»limit = 2
«r»limit += 1
"""limit"""
def f(«d»limit, x=«r»limit):
    «r»limit = 3
    return f"limit {«r»limit}"
def g():
    «d»limit = 1
    return obj.«r»limit
class C:
    «d»limit: int = 0
    def __init__(self):
        self.«d»limit = 1
    def m(self):
        self.«r»limit = f(«r»limit=2)
for «d»limit in []: pass
lambda «d»limit: «r»limit
[«r»limit for «d»limit in x]
`.replace('for «d»limit in []', 'for «r»limit in []'),
    ],
    [
      'b.py',
      'Task',
      '@«r»Task.register\nclass «d»Task(Base): pass\nasync def f(t: «r»Task = None) -> «r»Task: ...\n',
    ],
    [
      'c.py',
      'Item',
      `from m import «i»Item
def f(x: list[«r»Item], y: Dict[str, «r»Item]) -> Optional[«r»Item]: ...
x: list[list[«r»Item]] = []
type «d»Item[T] = list[«r»Item]
type A[«d»Item] = tuple[«r»Item, int]
class Q[«d»Item: int, *Ts]: ...
def g[«d»Item](x: «r»Item): ...
`,
    ],
    [
      'd.py',
      'n',
      `def f(x):
    match x:
        case {"n": «d»n, **rest}: return «r»n
        case [1, *«d»n]: pass
        case P(«r»n=1, b=«d»n) | mod.«r»n: pass
        case «r»n(): pass
        case (1 | 2) as «d»n if «r»n > 1: pass
def g():
    with open() as («d»n, b): pass
`,
    ],
    [
      'e.py',
      'row',
      `def f(rows):
    for «d»row in rows: print(«r»row)
    names = [«r»row.name for «d»row in rows]
    pairs = {«r»row: x for «d»row, x in rows}
class T:
    def __init__(self):
        self.«d»row, (self.a, *self.b) = load()
        (self.a, [self.«d»row]) = self.«r»row
    def m(self):
        self.«r»row, x = 1, 2
`,
    ],
  ],
  Go: [
    [
      'a.go',
      'Add',
      `package shop
// Add adds "Add"
type Adder interface { «d»Add(n int) }
type S struct { «d»Add int; Other string }
func (s *S) «d»Add(n int) { s.«r»Add(n); x := S{«r»Add: 1}; _ = x }
func «d»Add(Add2 int) { «r»Add(1); fmt.Println("Add") }
const «d»Add = 1
func g(«d»Add int) { «d»Add := 2; «r»Add = 3; for «d»Add := range l {}; for «r»Add = range l {} }
`,
    ],
    [
      'b.go',
      'strings',
      'package p\nimport (\n\t"fmt"\n\t"«i»strings"\n)\nvar a = «r»strings.ToUpper("strings")\n',
    ],
    ['c.go', 'shop', 'package «d»shop\nvar x = "shop"\n'],
  ],
  Rust: [
    [
      'a.rs',
      'area',
      `use crate::shape::{«i»area, b as «i»area};
/// area
pub trait Shape { fn «d»area(&self) -> f64; }
impl Shape for Sq { fn «d»area(&self) -> f64 { self.«r»area * Self::«r»area(self) } }
struct Sq { «d»area: f64 }
fn f<'area>(«d»area: &'area f64) { let «d»area = 1; let Sq { «d»area } = s; Sq { «r»area: 1.0 }; Sq { «r»area } }
fn g() { println!("area {}", «r»area); match x { Some(«d»area) => «r»area, _ => 0 }; |«d»area| «r»area; }
mod «d»area;
macro_rules! «d»area { () => {} }
const S: &str = "area";
`,
    ],
    [
      'b.rs',
      'Kind',
      'enum «d»Kind { A }\nimpl «r»Kind { fn new() -> «r»Kind { «r»Kind::A } }\nmatch k { «r»Kind => 1 }\n',
    ],
    [
      'c.rs',
      'Slot',
      `pin_project! { pub struct «d»Slot<T> { next: *const «r»Slot, held: &'static «r»Slot } impl Drop for «r»Slot {} }
lazy_static! { static ref «d»Slot: u8 = 1; }
each!(fn «d»Slot(), let «r»Slot(a) = b; let other::«r»Slot = c);
`,
    ],
    [
      'd.rs',
      'left',
      `check!({ let mut «d»left = 1; for «d»left in all {} ; let «r»left::A = «r»left; x.«r»left() });
each!(&'left str, Held<'left>);
`,
    ],
    [
      'e.rs',
      'default',
      `impl Default for A { fn «d»default() -> A { A } }
fn f() { assert_eq!(A::«r»default(), b.«r»default()); A::«r»default() }
`,
    ],
  ],
  Java: [
    [
      'Cart.java',
      'total',
      `package com.shop;
import static com.shop.Sum.«i»total;
/** total */
class Cart {
  private int «d»total = 1;
  int «d»total(int «d»total) { this.«r»total = «r»total; return «r»total(«r»total) + "total".length(); }
  void f() { for (int «d»total : xs) {} Runnable r = («d»total) -> «r»total; Cart::«r»total; cart.«r»total(); total: for (;;) break total; }
  record R(int «d»total) {}
  enum E { «d»total }
}
`,
    ],
    [
      'Pay.java',
      'Pay',
      'import com.x.«i»Pay;\nclass «d»Pay<T> extends Base<«r»Pay> { «d»Pay() { new «r»Pay<>(); } }\n',
    ],
  ],
}

describe('find_usage', SLOW, () => {
  for (const [language, cases] of Object.entries(CASES))
    verifies('TOOL-103', `tells definitions, references and imports apart in ${language}`, async () => {
      await using project = await makeFilesProject()
      for (const [path, symbol, text] of cases) await expectMarked(project, path, symbol, text)
    })
})
