import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { directory } from '@sluice/guide/directory'
import { searchOptions as ours } from '@sluice/guide/search-options'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { startHttpWorld } from '../../testing/http-world.ts'

/** The search engine that comes with VitePress. */
const MiniSearch = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'))('minisearch')
/** The options of the search box of VitePress, and ours. */
const searchOptions = { boost: { title: 4, text: 2, titles: 1 }, ...ours }

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const get = async (path: string, init?: RequestInit) => {
  const response = await fetch(world.url + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const written = globSync('**/*.md', { cwd: join(import.meta.dirname, '../../../../../docs') }).map((path) =>
  basename(path),
)

test(
  'every page of the guide is served with its assets',
  everyCase(written, async (file) => {
    const page = file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')
    const { status, headers, text } = await get(`/docs/guide/${page}`) // 404? `npm run prepare` builds the guide
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/html')
    const parts = [...text.matchAll(/<(?:script|link)[^>]+(?:src|href)="(\/[^"]+)"/g)].map(([, part = '']) => part)
    expect(parts.length).toBeGreaterThan(3)
    const statuses = await Promise.all(parts.map(async (part) => [part, (await get(part)).status]))
    expect(statuses).toEqual(parts.map((part) => [part, 200]))
  }),
)

test('a page shows the braces of other template languages', async () => {
  const { text } = await get('/docs/guide/import.html')
  expect(text).toContain('{{ must_env `NAME` }}')
})

test('a page loads and runs what comes from here alone', async () => {
  const { headers, text } = await get('/docs/guide/')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[^;]*; style-src 'self' 'unsafe-inline'; /)
  const inline = [...text.matchAll(/<script[^>]*>[^<]+<\/script>/g)]
  expect(policy.match(/'sha256-/g)).toHaveLength(inline.length)
})

test('what changes its name with its content is kept by browsers, pages are asked for again', async () => {
  const { headers, text } = await get('/docs/guide/index.html')
  expect(headers.get('cache-control')).toBe('no-cache')
  const [, asset = ''] = /src="([^"]+\/app\.[^"]+\.js)"/.exec(text) ?? []
  expect((await get(asset)).headers.get('cache-control')).toContain('immutable')
})

test('a diagram is there as text, and what draws it comes from here and is loaded for no page without one', async () => {
  const { text } = await get('/docs/guide/architecture.html')
  expect(text.replaceAll(/<[^>]*>/g, '')).toContain('sequenceDiagram\n  actor P as person\n')
  const drawer = globSync('*', { cwd: join(directory, 'assets') }).find((file) => file.startsWith('mermaid'))
  expect((await get(`/docs/guide/assets/${drawer}`)).headers.get('cache-control')).toContain('immutable')
  expect(text).not.toContain(drawer)
})

test(
  'the search leads to the page about what was asked',
  everyCase(
    [
      ['secret rotation', 'secrets.html'],
      ['rotate secret', 'secrets.html'],
      ['roll back a canary', 'rollback.html'],
      ['hold', 'holds.html'],
    ],
    async (query, page) => {
      const [chunk = ''] = globSync('@localSearchIndex*', { cwd: join(directory, 'assets/chunks') })
      expect((await get(`/docs/guide/assets/chunks/${chunk}`)).status).toBe(200)
      const { default: index } = await import(pathToFileURL(join(directory, 'assets/chunks', chunk)).href)
      const results = MiniSearch.loadJSON(index, { fields: ['title', 'titles', 'text'], searchOptions }).search(query)
      const pages = results.slice(0, 5).map(({ id }: { id: string }) => basename(id).replace(/#.*/, ''))
      expect(pages, `results of "${query}"`).toContain(page)
    },
  ),
)

test('the folder is found without its stroke, and nothing outside of it', async () => {
  const bare = await get('/docs/guide', { redirect: 'manual' })
  expect([bare.status, bare.headers.get('location')]).toEqual([302, '/docs/guide/'])
  for (const path of ['nothing.html', '..%2f..%2fpackage.json', '%2e%2e/package.json', '.gitignore'])
    expect((await get(`/docs/guide/${path}`)).status, path).toBe(404)
})
