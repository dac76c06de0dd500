import { routes } from '@sluice/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHttpWorld } from '../../testing/http-world.ts'

let world: Awaited<ReturnType<typeof startHttpWorld>>

beforeAll(async () => {
  world = await startHttpWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const page = async (path: string) => {
  const response = await fetch(world.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('programs can find the description', async () => {
  const { status, headers, body } = await world.ask('/openapi.json')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(body.openapi).toBe('3.1.0')
  expect(body.paths['/deployments'].post.operationId).toBe(routes.createDeployment.operationId)
})

test('the pages have the same description, as JSON and as YAML', async () => {
  const { text } = await page('/openapi.json')
  expect(JSON.parse((await page('/docs/json')).text)).toEqual(JSON.parse(text))
  expect((await page('/docs/yaml')).text).toMatch(/^openapi: 3\.1\.0$/m)
})

test('the pages load only resources of this server', async () => {
  const { status, headers, text } = await page('/docs/')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/html')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part)
  expect(parts.length).toBeGreaterThan(3)
  for (const part of parts) {
    const { pathname, origin } = new URL(part, `${world.url}/docs/`)
    expect(origin).toBe(world.url)
    expect((await page(pathname)).status, pathname).toBe(200)
  }
})

test('an unknown path returns the usual error', async () => {
  const { status, body } = await world.ask('/docs/static/nothing.js')
  expect(status).toBe(404)
  expect(body.code).toBe('Sluice:Request:ROUTE_NOT_FOUND')
  expect((await world.ask('/openapi.json', { method: 'POST' })).status).toBe(405)
})
