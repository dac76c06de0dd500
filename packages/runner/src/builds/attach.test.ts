import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ImageAttestation } from '@sluice/contract/runner-protocol'
import { afterEach, expect, test } from 'vitest'
import { attachStatement } from './attach.ts'

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

type Answers = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server on this machine. Returns its address and the list of requests that it received. */
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

/** A service that only the runner can reach. */
const internal = () => serve((_, response) => response.end('{"token":"internal secret"}'))

/** Returns the log that the tenant reads after a statement was attached in the registry at `origin`. */
async function logOf(origin: string, more: Partial<ImageAttestation> = {}): Promise<string> {
  const lines: string[] = []
  const attempt = { signal: new AbortController().signal, log: (line: string) => lines.push(line), mask: () => {} }
  const attached: ImageAttestation = {
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
  await attachStatement(attempt as never, attached, allow)
  return lines.join('\n')
}

/** A registry whose uploads continue at another location. */
const registryThatContinuesAt = (location: string): Answers =>
  function answer({ method }, response) {
    if (method === 'HEAD') return void response.writeHead(404).end()
    if (method === 'POST') return void response.writeHead(202, { location }).end()
    response.end('{}')
  }

test('an upload does not follow a location that only the runner can reach', async () => {
  const { origin: secret, asked } = await internal()
  const { origin } = await serve(registryThatContinuesAt(`${secret}/upload`))
  expect(await logOf(origin)).toContain('is not on the public internet')
  expect(asked).toEqual([])
})

test('an upload to a registry of the cloud account does not follow such a location either', async () => {
  const { origin: secret, asked } = await internal()
  const { origin } = await serve(registryThatContinuesAt(`${secret}/upload`))
  expect(await logOf(origin, { isCloudAccounts: true })).toContain('is not on the public internet')
  expect(asked).toEqual([])
})

test('no token is requested from another program on the runner’s machine', async () => {
  const { origin: secret, asked } = await internal()
  const registry = await serve((_, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${secret}/token"` }).end()
  })
  expect(await logOf(registry.origin)).toContain('which is another site')
  expect(asked).toEqual([])
  expect(registry.asked.join()).not.toContain('internal secret')
})

test('the log shows only the error codes of a response', async () => {
  const { origin } = await serve((_, response) => {
    response.writeHead(403).end('{"errors":[{"code":"DENIED","message":"internal secret"}]}')
  })
  const log = await logOf(origin)
  expect(log).toContain('403 DENIED')
  expect(log).not.toContain('internal secret')
})

test('a statement is attached in a registry that supports it', async () => {
  const registry = await serve(({ method, url }, response) => {
    if (method === 'HEAD') return void response.writeHead(404).end()
    if (method === 'POST') return void response.writeHead(202, { location: '/v2/acme/web/blobs/uploads/1' }).end()
    response.writeHead(200, url?.includes('/manifests/') ? { 'oci-subject': 'sha256:0' } : {}).end('{}')
  })
  expect(await logOf(registry.origin)).toContain('Attached the build provenance to')
  expect(registry.asked.filter((line) => line.startsWith('PUT'))).toHaveLength(3)
})
