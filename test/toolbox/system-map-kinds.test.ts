import { describe, expect } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { startToolHub } from './surface-hub.fixture.ts'

/** Each call starts a program of its own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }

const project = (needs: string, type = '') =>
  `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>${type}</PropertyGroup><ItemGroup>${needs}</ItemGroup></Project>`

describe('get_system_map', SLOW, () => {
  verifies('TOOL-105', 'knows projects for .NET, Gradle, Composer and Zig, and what they need', async () => {
    await using other = await startToolHub()
    const files: Record<string, string> = {
      'net/Shop.sln': '',
      'net/src/Shop.Core/Shop.Core.csproj': project(''),
      'net/src/Shop.Web/Shop.Web.csproj': project(
        '<ProjectReference Include="..\\Shop.Core\\Shop.Core.csproj" />',
        '<OutputType>Exe</OutputType>',
      ),
      'net/src/Shop.Web/Program.cs': '',
      'jvm/settings.gradle.kts': 'include(":app", ":data-store")',
      'jvm/app/build.gradle.kts':
        'application { mainClass.set("shop.MainKt") }\ndependencies { implementation(projects.dataStore) }\n',
      'jvm/data-store/build.gradle.kts': '',
      'jvm/tool/build.gradle': "dependencies { api project(':data-store') }\n",
      'php/composer.json': '{"name":"shop/site","bin":["bin/shop"],"require":{"shop/mail":"*"}}',
      'mail/composer.json': '{"name":"shop/mail"}',
      'zig/build.zig':
        'const exe = b.addExecutable(.{ .name = "shop", .root_source_file = b.path("src/shop.zig") });\n',
      'zig/build.zig.zon': '.{ .name = .shop, .dependencies = .{ .lid = .{ .path = "../lid" } } }\n',
      'lid/build.zig.zon': '.{ .name = .lid }\n',
    }
    for (const [path, text] of Object.entries(files)) other.project.write(`services/web/${path}`, text)
    const { services } = (await other.call('direct', 'get_system_map', { root_dir: '.' })).data.map
    const told = services.map((one: { path: string; entry_points: string[]; depends_on: string[] }) => [
      one.path,
      [one.entry_points, one.depends_on],
    ])
    expect(Object.fromEntries(told)).toMatchObject({
      'net/src/Shop.Core': [[], []],
      'net/src/Shop.Web': [['Program.cs'], ['net/src/Shop.Core']],
      'jvm/app': [['shop.MainKt'], ['jvm/data-store']],
      'jvm/tool': [[], ['jvm/data-store']],
      php: [['bin/shop'], ['mail']],
      zig: [['src/shop.zig'], ['lid']],
    })
  })

  verifies('TOOL-105', 'shows the packages inside a module of Go or Python', async () => {
    await using other = await startToolHub()
    const files: Record<string, string> = {
      'go/go.mod': 'module example.org/shop\n',
      'go/cmd/shop/main.go': 'package main\nimport "example.org/shop/pay"\nfunc main() {}\n',
      'go/pay/pay.go': 'package pay\nimport (\n\t"fmt"\n\t"example.org/shop/internal/lid"\n)\n',
      'go/pay/pay_test.go': 'package pay\nimport "example.org/shop/cmd/shop"\n',
      'go/internal/lid/lid.go': 'package lid\n',
      'py/pyproject.toml': '[project]\nname = "shop"\n',
      'py/src/shop/__init__.py': 'from shop.pay import card\n',
      'py/src/shop/__main__.py': 'from . import pay\n',
      'py/src/shop/pay/__init__.py': '',
      'py/src/shop/pay/card.py': 'from ..lid import hinge\nimport json\n',
      'py/src/shop/lid/__init__.py': '',
      'py/tests/__init__.py': 'import shop\n',
      'flat/pyproject.toml': '[project]\nname = "flat"\n',
      'flat/flat/__init__.py': 'from .lid import open\n',
      'flat/flat/lid.py': 'if __name__ == "__main__":\n    pass\n',
    }
    for (const [path, text] of Object.entries(files)) other.project.write(`services/web/${path}`, text)
    const { services } = (await other.call('direct', 'get_system_map', { root_dir: '.' })).data.map
    const packagesAt = (wanted: string) =>
      services
        .find(({ path }: { path: string }) => path === wanted)
        .packages.map((one: { path: string; entry_points: string[]; depends_on: string[] }) =>
          [one.path, ...one.entry_points, '>', ...one.depends_on].join(' '),
        )
    expect(packagesAt('go')).toEqual([
      'cmd/shop cmd/shop/main.go > pay',
      'internal/lid >',
      'pay > internal/lid',
    ])
    expect(packagesAt('py')).toEqual([
      'src/shop src/shop/__main__.py > src/shop/pay',
      'src/shop/lid >',
      'src/shop/pay > src/shop/lid',
    ])
    expect(packagesAt('flat')).toEqual(['flat/__init__.py > flat/lid.py', 'flat/lid.py flat/lid.py >'])
  })

  verifies('TOOL-105', 'lists nothing twice, and names no beginning that is not there', async () => {
    await using other = await startToolHub()
    const files: Record<string, string> = {
      'rust/Cargo.toml': '[workspace]\nmembers = ["core", "web"]\n',
      'rust/README.md': '# Rust\n',
      'rust/core/Cargo.toml': '[package]\nname = "core"\n[dev-dependencies]\nweb = { path = "../web" }\n',
      'rust/web/Cargo.toml': '[package]\nname = "web"\n[dependencies]\ncore = { path = "../core" }\n',
      'rust/web/src/bin/shop/main.rs': '',
      'gem/shop.gemspec':
        "Gem::Specification.new 'shop' do |s|\n  s.bindir = 'exe'\n  s.executables = %w[shop]\nend\n",
      'gem/lib/shop.rb': '',
      'gem/lid/lid.gemspec':
        "Gem::Specification.new do |s|\n  s.name = 'lid'\n  s.add_dependency 'shop', '1'\nend\n",
      'gem/lid/README.md': '# Lid\n',
      'gem/lid/spec/lid_spec.rb': '',
      'go/go.mod': 'module example.org/shop\n',
      'go/shop.go': 'package shop\n',
      'jvm/settings.gradle': "include ':app'\n",
      'jvm/build.gradle': "plugins { id 'com.android.application' apply false }\n",
      'jvm/app/build.gradle': "apply plugin: 'com.android.application'\n",
      'jvm/app/src/main/AndroidManifest.xml': '',
    }
    for (const [path, text] of Object.entries(files)) other.project.write(`services/web/${path}`, text)
    const map = async (root_dir: string) =>
      (await other.call('direct', 'get_system_map', { root_dir })).data.map
    const told = async (root_dir: string) =>
      (await map(root_dir)).services.map(
        (one: { path: string; entry_points: string[]; depends_on: string[]; tests: string[] }) =>
          [one.path, ...one.entry_points, '>', ...one.depends_on, '|', ...one.tests].join(' '),
      )
    expect(await told('rust')).toEqual(['rust/core > |', 'rust/web src/bin/shop/main.rs > rust/core |'])
    expect((await map('rust')).docs).toEqual([{ path: 'rust/README.md', kind: 'docs', readable: true }])
    expect(await told('gem')).toEqual(['gem exe/shop > |', 'gem/lid > gem | gem/lid/spec'])
    const docs = Object.values((await map('gem')).Entities as Record<string, { RequiredDocs: string[] }>)
    expect(docs.flatMap(({ RequiredDocs }) => RequiredDocs)).toEqual(['gem/lid/README.md'])
    expect(await told('jvm')).toEqual(['jvm/app src/main/AndroidManifest.xml > |'])
    expect((await map('jvm')).capped).toBe(false)
    for (let at = 0; at < 90; at++) other.project.write(`services/web/go/part${at}/part.go`, 'package part\n')
    other.project.write('services/web/go/cmd/lid/go.mod', 'module example.org/lid\n')
    other.project.write('services/web/go/cmd/lid/lid.go', 'package main\n')
    const go = await map('go')
    const paths = go.services.flatMap((one: { packages: { path: string }[] }) =>
      one.packages.map(({ path }) => path),
    )
    expect([paths.includes('cmd/lid'), paths.length, go.capped]).toEqual([false, 81, true])
  })
})
