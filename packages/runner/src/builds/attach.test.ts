import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Attached } from '@sluice/contract/runner-protocol'
import { afterEach, expect, test } from 'vitest'
import { attach } from './attach.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

type Answers = (request: IncomingMessage, response: ServerResponse) => void

/** A server on this machine; answers with its address and what it was asked. */
async function serve(answers: Answers): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim())
    answers(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** A service on the runner's machine that is none of the tenant's business. */
const internal = () => serve((_, response) => response.end('{"token":"internal secret"}'))

/** What the tenant reads after the registry at `origin` was asked. */
async function logOf(origin: string, more: Partial<Attached> = {}): Promise<string> {
  const lines: string[] = []
  const attempt = { signal: new AbortController().signal, log: (line: string) => lines.push(line), mask: () => {} }
  const attached: Attached = {
    endpoint: origin,
    repository: 'acme/web',
    username: 'robot',
    password: 'password',
    digest: `sha256:${'0'.repeat(64)}`,
    mediaType: 'application/vnd.in-toto+json',
    statement: '{}',
    predicateType: 'https://slsa.dev/provenance/v1',
    ...more,
  }
  const allow = more.isCloudAccounts ? [] : [new URL(origin).host]
  await attach(attempt as never, attached, allow)
  return lines.join('\n')
}

/** A registry whose uploads continue elsewhere. */
const registryThatContinuesAt = (location: string): Answers =>
  function answer({ method }, response) {
    if (method === 'HEAD') return void response.writeHead(404).end()
    if (method === 'POST') return void response.writeHead(202, { location }).end()
    response.end('{}')
  }

test('an upload does not continue at what only the runner can reach', async () => {
  const { origin: secret, asked } = await internal()
  const { origin } = await serve(registryThatContinuesAt(`${secret}/upload`))
  expect(await logOf(origin)).toContain('is not on the public internet')
  expect(asked).toEqual([])
})

test('nor where the cloud account gives the address of the registry', async () => {
  const { origin: secret, asked } = await internal()
  const { origin } = await serve(registryThatContinuesAt(`${secret}/upload`))
  expect(await logOf(origin, { isCloudAccounts: true })).toContain('is not on the public internet')
  expect(asked).toEqual([])
})

test('a token service is not asked where it is another program on the runner’s machine', async () => {
  const { origin: secret, asked } = await internal()
  const registry = await serve((_, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${secret}/token"` }).end()
  })
  expect(await logOf(registry.origin)).toContain('which is another site')
  expect(asked).toEqual([])
  expect(registry.asked.join()).not.toContain('internal secret')
})

test('an answer is not shown but for the codes of its errors', async () => {
  const { origin } = await serve((_, response) => {
    response.writeHead(403).end('{"errors":[{"code":"DENIED","message":"internal secret"}]}')
  })
  const log = await logOf(origin)
  expect(log).toContain('403 DENIED')
  expect(log).not.toContain('internal secret')
})

test('a statement is attached where the registry is as it should be', async () => {
  const registry = await serve(({ method, url }, response) => {
    if (method === 'HEAD') return void response.writeHead(404).end()
    if (method === 'POST') return void response.writeHead(202, { location: '/v2/acme/web/blobs/uploads/1' }).end()
    response.writeHead(200, url?.includes('/manifests/') ? { 'oci-subject': 'sha256:0' } : {}).end('{}')
  })
  expect(await logOf(registry.origin)).toContain('is attached to')
  expect(registry.asked.filter((line) => line.startsWith('PUT'))).toHaveLength(3)
})
