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
})
