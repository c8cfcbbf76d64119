import type { KnowledgeKind } from '../knowledge.ts'

/** Of a project for .NET, and of one part of a Kotlin project, the folder ends with the word. */
const TEST_FOLDER =
  /(?:^|\/)(?:(?:[\w-]+\.)*tests?|__tests__|e2e|test-d|testdata|__mocks__)\/|\/src\/[a-z]+Test\//i
const TEST_FILE =
  /(?:[._-](?:test|tests|spec|e2e)(?:-d)?\.\w+|(?:^|\/)(?:test_[^/]*|conftest)\.py|[a-z0-9](?:Tests?|Specs?)\.\w+)$/
const DOC =
  /(?:\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|tex)|(?:^|\/)(?:readme|licen[cs]e|changelog|notice|authors|contributing)[^/.]*)$/i
const CONFIG =
  /(?:\.(?:json|jsonc|json5|jsonl|ya?ml|toml|ini|cfg|conf|properties|env|lock|xml|plist|csv|tsv|gradle|tf|tfvars|hcl|sum|mod|bazel|nix|editorconfig|svg)|(?:^|\/)(?:dockerfile|makefile|gemfile|rakefile|procfile|jenkinsfile|\.[^/]+)[^/]*)$/i

/** What a file is, by its path: prose and settings by their names, tests by folder or name, the rest code. */
export function kindOf(path: string): KnowledgeKind {
  if (DOC.test(path)) return 'doc'
  if (CONFIG.test(path)) return 'config'
  return TEST_FILE.test(path) || TEST_FOLDER.test(path) ? 'test' : 'code'
}
