import { describe, expect, it } from 'vitest'
import { chunkDocument } from './chunk-document.ts'

/** `name start-end` of each chunk. */
const outline = (path: string, lines: readonly string[]) =>
  chunkDocument(path, lines.join('\n')).map(
    ({ name, start_line, end_line }) => `${name} ${start_line}-${end_line}`,
  )

describe('a definition keeps its name and all of its lines', () => {
  it('in tests of Ruby, of a class, a symbol or in a loop', () => {
    const text = [
      "RSpec.describe Shop::Cart, '#pay' do", // 1
      '  describe :== do', // 2
      "    it 'is like a hash' do", // 3
      '      expect(1).to eq(1)', // 4
      '    end', // 5
      '  end', // 6
      '  [1, 2].each do |count|', // 7
      "    it 'counts each' do", // 8
      '      expect(count).to eq(1)', // 9
      '    end', // 10
      '  end', // 11
      "  shared_examples 'a shop' do |name|", // 12
      "    specify('has a name') do", // 13
      '      name', // 14
      '    end', // 15
      '  end', // 16
      'end', // 17
    ]
    expect(outline('spec/cart_spec.rb', text)).toEqual([
      'Shop::Cart, #pay 1-1',
      'Shop::Cart, #pay.:== 2-2',
      'Shop::Cart, #pay.:==.is like a hash 3-5',
      'Shop::Cart, #pay 7-7',
      'Shop::Cart, #pay.counts each 8-10',
      'Shop::Cart, #pay.a shop 12-12',
      'Shop::Cart, #pay.a shop.has a name 13-15',
    ])
  })

  it('in tests of scripts and of C++', () => {
    const script = ['describe(parse.name, () => {', "  it('reads', () => {", '    read()', '  })', '})']
    const loop = ['for (const a of all) {', "  test('runs', () => {", '    run(a)', '  })', '}']
    expect(outline('a.test.ts', [...script, ...loop])).toEqual([' 1-1', 'reads 2-4', ' 6-6', 'runs 7-9'])
    const macros = [
      'TEST_CASE("rotates a file", "[sinks]") {', // 1
      '  REQUIRE(rotate());', // 2
      '}', // 3
      'TEST_F(Sink, Flushes)', // 4
      '{', // 5
      '  flush();', // 6
      '}', // 7
      'int main() {', // 8
      '  return 0;', // 9
      '}', // 10
    ]
    expect(outline('tests/a.cpp', macros)).toEqual(['rotates a file 1-3', 'Sink.Flushes 4-7', 'main 8-10'])
  })

  it('in Rust, whatever stands in texts that go over lines', () => {
    const text = [
      "impl<'a> Flag for &'a mut Help {", // 1
      "    fn doc_long(&self) -> &'static str {", // 2
      '        r#"', // 3
      'Shows "this" and \\', // 4
      'fn not_here() {', // 5
      '"#', // 6
      '    }', // 7
      '', // 8
      "    fn quote<'b>(&self, it: &'b str) -> char {", // 9
      "        print(\"it's \\\\\", r\"\\\", '\"', '\\'', b'\"');", // 10
      '        let text = "first \\', // 11
      'fn nor_here() {', // 12
      '";', // 13
      "        'x'", // 14
      '    }', // 15
      '}', // 16
      '', // 17
      'macro_rules! each {', // 18
      '    ($x:expr) => { run($x) };', // 19
      '}', // 20
      'fn last() {}', // 21
    ]
    expect(outline('a.rs', text)).toEqual([
      'Help 1-1',
      'Help.doc_long 2-7',
      'Help.quote 9-15',
      'each 18-20',
      'last 21-21',
    ])
  })

  it('in Java, under a head that goes on, and in an annotation', () => {
    const text = [
      'public class Held extends Base<Held>', // 1
      '    implements One, Two {', // 2
      '  private final int size;', // 3
      '', // 4
      '  @Override', // 5
      '  public int hashCode() {', // 6
      '    return size;', // 7
      '  }', // 8
      '', // 9
      '  static class Inner', // 10
      '      implements Three {', // 11
      '    void run() {', // 12
      '      go();', // 13
      '    }', // 14
      '  }', // 15
      '}', // 16
      'public @interface Marked {', // 17
      '  String text() default """', // 18
      '}', // 19
      '""";', // 20
      '}', // 21
    ]
    expect(outline('Held.java', text)).toEqual([
      'Held 1-3',
      'Held.hashCode 5-8',
      'Held.Inner 10-11',
      'Held.Inner.run 12-14',
      'Marked 17-17',
      'Marked.text 18-20',
    ])
  })

  it('in Java, behind annotations and kinds of any form, and in fields with a body', () => {
    const text = [
      'public class Shapes {', // 1
      '  @SuppressWarnings({"a)", "b"}) private static <A> A cast(Object o) {', // 2
      '    return (A) o;', // 3
      '  }', // 4
      '', // 5
      '  @Deprecated // since two', // 6
      '  @Named("x(y)")', // 7
      '    void further() {', // 8
      '    go();', // 9
      '  }', // 10
      '', // 11
      '  public static <K extends Comparable<? super K>, V>', // 12
      '      Map<K, V> sorted(K key, V value) {', // 13
      '    return null;', // 14
      '// left out: check(key)', // 15
      '    }', // 16
      '', // 17
      '  public /* not final */ String toString() {', // 18
      '    return "";', // 19
      '  }', // 20
      '', // 21
      '  non-sealed class Circle implements Shape {', // 22
      '    double area() {', // 23
      '      return 1;', // 24
      '    }', // 25
      '  }', // 26
      '', // 27
      '  static final Comparator<String> BY_NAME =', // 28
      '      new Comparator<String>() {', // 29
      '        public int compare(String a, String b) {', // 30
      '          return 0;', // 31
      '        }', // 32
      '      };', // 33
      '}', // 34
    ]
    expect(outline('Shapes.java', text)).toEqual([
      'Shapes 1-1',
      'Shapes.cast 2-4',
      'Shapes.further 6-10',
      'Shapes.sorted 12-16',
      'Shapes.toString 18-20',
      'Shapes.Circle 22-22',
      'Shapes.Circle.area 23-25',
      'Shapes.BY_NAME 28-33',
    ])
  })

  it('where a remark stands further out, and after it', () => {
    const script = [
      'interface Watch {',
      '  /** Begins. */',
      '  begin(): void',
      '  /** Ends. */',
      '  end(): void',
      '}',
    ]
    expect(outline('a.ts', script)).toEqual(['Watch 1-1', 'Watch.begin 2-3', 'Watch.end 4-5'])
    const python = [
      'def one(a):',
      '    b = a',
      '# c = a',
      '    return b',
      '',
      '# Two.',
      'def two():',
      '    pass',
    ]
    expect(outline('a.py', python)).toEqual(['one 1-4', 'two 6-8'])
    const c = [
      'struct item *find(int id)',
      '{',
      '    int at = 0;',
      '/* from the end */',
      '    return 0;',
      '}',
    ]
    expect(outline('a.c', c)).toEqual(['find 1-6'])
    expect(outline('a.rs', ['#[test] fn one() {', '    go();', '}', ''])).toEqual(['one 1-3'])
  })

  it('in TypeScript, with kinds over lines and names that are words elsewhere', () => {
    const text = [
      'export function check<T extends (...all: any[]) => boolean>(', // 1
      '  call: T,', // 2
      '): void {}', // 3
      'class Store {', // 4
      '  static async open() {', // 5
      '    return 1', // 6
      '  }', // 7
      '  static of() { return 1 }', // 8
      '  static limit = 3', // 9
      '  delete(key: string): boolean {', // 10
      '    return true', // 11
      '  }', // 12
      '  or<T>(other: T) {', // 13
      '    return other', // 14
      '  }', // 15
      '  read<', // 16
      '    T = unknown,', // 17
      '  >(key: T): void {', // 18
      '    go(key)', // 19
      '  }', // 20
      '}', // 21
    ]
    expect(outline('a.ts', text)).toEqual([
      'check 1-3',
      'Store 4-4',
      'Store.open 5-7',
      'Store.of 8-8',
      'Store 9-9',
      'Store.delete 10-12',
      'Store.or 13-15',
      'Store.read 16-20',
    ])
  })

  it('in letters of any script, and after a byte order mark', () => {
    const text = ['\ufeffdef größe(x):', '    return x', '', 'def 合計(値):', '    return 値', '']
    expect(outline('a.py', text)).toEqual(['größe 1-2', '合計 4-5'])
    expect(outline('a.md', ['\ufeff# Über', 'text', '## Dann'])).toEqual(['Über 1-2', 'Über › Dann 3-3'])
  })
})

describe('reStructuredText is cut at its own headings', () => {
  it('with lines above them, in the order of their marks, and not at comments in examples', () => {
    const text = [
      '####', // 1
      'Book', // 2
      '####', // 3
      '', // 4
      'Part', // 5
      '****', // 6
      'Text::', // 7
      '', // 8
      '   # no heading', // 9
      '', // 10
      'Deep', // 11
      '====', // 12
      'x', // 13
      '', // 14
      'Other', // 15
      '*****', // 16
    ]
    expect(outline('a.rst', text)).toEqual([
      'Book 1-3',
      'Book › Part 5-9',
      'Book › Part › Deep 11-13',
      'Book › Other 15-16',
    ])
  })
})
