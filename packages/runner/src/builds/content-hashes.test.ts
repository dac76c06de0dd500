import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cpuTimeMs } from '../../../../testing/cpu-time.ts'
import { everyCase } from '../../../../testing/every-case.ts'
import { findContentHashedPaths, findHashedPaths } from './content-hashes.ts'

test(
  'the manifest of a build tool tells which file names contain a content hash',
  everyCase<[string, unknown, string, string[]]>(
    [
      [
        'Vite',
        {
          'src/main.ts': {
            file: 'assets/main-BxY8k2Lq.js',
            name: 'main',
            src: 'src/main.ts',
            css: ['assets/main-CPdi-i_T.css'],
          },
          '_shared-DRPEsJMb.js': { file: 'assets/shared-DRPEsJMb.js', name: 'shared' },
          'src/app.ts': { file: 'assets/index-legacy-DqF8k2Lq.js', name: 'index', src: 'src/app.ts' },
          'src/logo.svg': { file: 'assets/logo-8f14e45f.svg', src: 'src/logo.svg' },
        },
        'dist/.vite/manifest.json',
        [
          'dist/assets/main-BxY8k2Lq.js',
          'dist/assets/main-CPdi-i_T.css',
          'dist/assets/shared-DRPEsJMb.js',
          'dist/assets/index-legacy-DqF8k2Lq.js',
          'dist/assets/logo-8f14e45f.svg',
        ],
      ],
      [
        'webpack with a base path',
        {
          files: {
            'main.js': '/shop/static/js/main.073c9b0a.js',
            'main.css': 'https://cdn.example/static/css/main.e6c13ad2.css',
          },
        },
        'manifest.json',
        ['static/js/main.073c9b0a.js', 'static/css/main.e6c13ad2.css'],
      ],
      [
        'webpack with integrity',
        { 'main.js': { src: 'main.073c9b0a.js', integrity: 'sha384-x' } },
        'manifest.json',
        ['main.073c9b0a.js'],
      ],
      ['gulp-rev', { 'css/app.css': 'css/app-d41d8cd98f.css' }, 'manifest.json', ['css/app-d41d8cd98f.css']],
      [
        'names of people and dates',
        { 'brochure-Summer25.pdf': 'brochure-Summer25.pdf', 'a/team-JohnDoe1.jpg': 'team-JohnDoe1.jpg' },
        'manifest.json',
        [],
      ],
      [
        'other names of people and seasons',
        { 'latest.pdf': 'brochure-Summer25.pdf', john: { src: 'team-JohnDoe1.jpg' } },
        'manifest.json',
        [],
      ],
      ['the format of Vite at another path', { john: { file: 'team-JohnDoe1.jpg' } }, 'manifest.json', []],
      [
        'constant names',
        { 'main.js': 'main.bundle.js', 'b.js': 'b.production.js', 'a.js': 'a.esModule.js', 'c.js': 'c.appBundle.js' },
        'manifest.json',
        [],
      ],
      [
        'a tool that adds no hash',
        { 'src/main.ts': { file: 'assets/main.js', name: 'main' } },
        'dist/manifest.json',
        [],
      ],
      ['missing files', { 'gone.js': 'gone.073c9b0a.js' }, 'manifest.json', []],
      [
        'a web application manifest',
        { name: 'Shop', icons: [{ src: 'icon-Ab12Cd34.png' }], start_url: '/' },
        'manifest.json',
        [],
      ],
      ['no manifest', [1, 'x', null], 'manifest.json', []],
    ],
    (_, manifest, path, expected) => {
      const written = [
        ...expected,
        ...['brochure-Summer25.pdf', 'team-JohnDoe1.jpg', 'main.bundle.js', 'b.production.js', 'icon-Ab12Cd34.png'],
        ...['a.esModule.js', 'c.appBundle.js', 'dist/assets/main.js'],
      ]
      expect(findHashedPaths(manifest, path, new Set(written))).toEqual(expected)
    },
  ),
)

test('manifests are found in any folder, and other files of that name are ignored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-manifests-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const texts = {
    'shop/.vite/manifest.json': '{"a.ts":{"file":"assets/a-BxY8k2Lq.js","name":"a"}}',
    'shop/assets/a-BxY8k2Lq.js': '',
    'manifest.json': 'not JSON',
    'asset-manifest.json': `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
  }
  const files = []
  for (const [index, [path, text]] of Object.entries(texts).entries()) {
    const file = join(folder, String(index))
    await writeFile(file, text)
    files.push({ path, file, sizeBytes: text.length, sha256: '', isExecutable: false })
  }
  expect(await findContentHashedPaths(files)).toEqual(new Set(['shop/assets/a-BxY8k2Lq.js']))
})

const mib = 1024 * 1024

const entriesOf = (count: number, outputOf: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.js`, outputOf(index)]))

test(
  'a manifest of the maximum size takes bounded processor time, whatever its names',
  everyCase<[string, Record<string, unknown>]>(
    [
      ['one long word', { 'a.js': `a.${'a'.repeat(4 * mib)}.js` }],
      ['many folders in one path', { 'a.js': `${'a/'.repeat(2 * mib)}a.12345678.js` }],
      ['many long words', entriesOf(4_000, (index) => `${index}.${'a'.repeat(1_000)}.js`)],
      ['many paths with many folders', entriesOf(4_000, (index) => `${'a/'.repeat(490)}${index}.12345678.js`)],
    ],
    (_, manifest) => {
      const before = cpuTimeMs()
      findHashedPaths(manifest, 'manifest.json', new Set())
      expect(cpuTimeMs() - before, 'milliseconds: see maxNameLength in content-hashes.ts').toBeLessThan(5_000)
    },
  ),
)
