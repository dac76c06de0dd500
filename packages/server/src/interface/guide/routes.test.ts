import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { directory } from '@sluice/guide/directory'
import { openIndex } from '@sluice/guide/search'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const get = async (path: string, init?: RequestInit) => {
  const response = await fetch(world.url + path, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Each asset is fetched once for all pages. */
const assetStatuses = new Map<string, Promise<number>>()

function assetStatus(asset: string): Promise<number> {
  const status = assetStatuses.get(asset) ?? get(`/docs/guide/${asset}`).then((response) => response.status)
  assetStatuses.set(asset, status)
  return status
}

const written = globSync('**/*.md', { cwd: join(import.meta.dirname, '../../../../../docs') }).map((path) =>
  basename(path),
)

test(
  'every page of the guide is served with its assets',
  everyCase(written, async (file) => {
    const page = file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')
    const { status, headers, text } = await get(`/docs/guide/${page}`) // on 404, `npm run prepare` builds the guide
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/html')
    const parts = [...text.matchAll(/"(assets\/[\w.-]+)"/g)].map(([, part = '']) => part)
    expect(parts).toHaveLength(4) // styles, script, search index, diagrams
    const statuses = await Promise.all(parts.map(async (part) => [part, await assetStatus(part)]))
    expect(statuses).toEqual(parts.map((part) => [part, 200]))
  }),
)

test('a page shows the braces of other template languages', async () => {
  const { text } = await get('/docs/guide/import.html')
  expect(text).toContain('{{ must_env `NAME` }}')
})

test('a page runs scripts of this service alone, and none that is inline', async () => {
  const { headers, text } = await get('/docs/guide/')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /)
  expect(text).not.toMatch(/<script[^>]*>[^<]|\son[a-z]+=/)
})

test('browsers cache assets, whose names change with their content, and ask for pages again', async () => {
  const { headers, text } = await get('/docs/guide/index.html')
  expect(headers.get('cache-control')).toBe('no-cache')
  const [, asset = ''] = /src="(assets\/[^"]+\.js)"/.exec(text) ?? []
  expect((await get(`/docs/guide/${asset}`)).headers.get('cache-control')).toContain('immutable')
})

test('a diagram is shown as text until a script draws it', async () => {
  const { text } = await get('/docs/guide/architecture.html')
  expect(text.replaceAll(/<[^>]*>/g, '')).toContain('sequenceDiagram\n  actor P as person\n')
})

test('links lead to pages and downloads, and other files of the repository are not linked', async () => {
  const { text } = await get('/docs/guide/cloud-accounts.html')
  expect(text).toMatch(/<a href="connect-role.yaml" download="">/)
  expect((await get('/docs/guide/connect-role.yaml')).text).toContain('AWSTemplateFormatVersion')
  expect((await get('/docs/guide/contributing.html')).text).not.toMatch(/href="[^"]*\.(ts|md)"/)
})

test(
  'the search finds the page about a topic',
  everyCase(
    [
      ['secret rotation', 'secrets.html'],
      ['rotate secret', 'secrets.html'],
      ['roll back a canary', 'rollback.html'],
      ['hold', 'holds.html'],
    ],
    async (query, page) => {
      const [file = ''] = globSync('search-index.*.json', { cwd: join(directory, 'assets') })
      const { text } = await get(`/docs/guide/assets/${file}`)
      const results = openIndex(text).search(query)
      const pages = results.slice(0, 5).map(({ id }: { id: string }) => basename(id).replace(/#.*/, ''))
      expect(pages, `results of "${query}"`).toContain(page)
    },
  ),
)

test('the directory is found without a trailing slash, and nothing outside of it', async () => {
  const bare = await get('/docs/guide', { redirect: 'manual' })
  expect([bare.status, bare.headers.get('location')]).toEqual([302, '/docs/guide/'])
  for (const path of ['nothing.html', '..%2f..%2fpackage.json', '%2e%2e/package.json', '.gitignore'])
    expect((await get(`/docs/guide/${path}`)).status, path).toBe(404)
})
