import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { createRegistryClient, RegistryDenied } from './registry.ts'
import type { OutboundRequest, SendOutbound } from './send.ts'

const credentials = { username: 'robot', password: 'secret' }
const basic = `Basic ${Buffer.from('robot:secret').toString('base64')}`

/** Creates a registry at `endpoint` with a token service at `realm`. Records the requests. */
function registryAt(endpoint: string, realm: string) {
  const asked: OutboundRequest[] = []
  const send: SendOutbound = async (request) => {
    asked.push(request)
    if (request.url.startsWith(realm)) return { status: 200, headers: {}, body: '{"token":"granted"}', isUtf8: true }
    const isKnown = request.headers?.authorization === 'Bearer granted'
    const challenge = `Bearer realm="${realm}",service="images"`
    return isKnown ? { status: 200, headers: {}, body: 'manifest', isUtf8: true } : unauthorized(challenge)
  }
  return { ask: createRegistryClient(send, { endpoint, repository: 'acme/web', ...credentials }, 'pull'), asked }
}

const unauthorized = (challenge: string) => ({
  status: 401,
  headers: { 'www-authenticate': challenge },
  body: '',
  isUtf8: true,
})

test(
  'credentials are sent to a token service of the registry’s own site',
  everyCase(
    [
      ['https://ghcr.io', 'https://ghcr.io/token'],
      ['https://registry-1.docker.io', 'https://auth.docker.io/token'],
      ['https://registry.gitlab.com', 'https://gitlab.com/jwt/auth'],
      ['https://registry.example.com:5000', 'https://registry.example.com/token'],
      ['http://127.0.0.1:5000', 'http://127.0.0.1:5000/token'],
    ],
    async (endpoint, realm) => {
      const { ask, asked } = registryAt(endpoint, realm)
      const answer = await ask({ method: 'GET', url: `${endpoint}/v2/acme/web/manifests/1` })
      expect(answer.body).toBe('manifest')
      const [, token] = asked
      expect(token?.url).toBe(`${realm}?service=images&scope=repository%3Aacme%2Fweb%3Apull`)
      expect(token?.headers?.authorization).toBe(basic)
    },
  ),
)

test(
  'credentials are not sent to another site, to another program on this machine, or without TLS',
  everyCase(
    [
      ['https://registry.example.com', 'https://evil.test/token'],
      ['https://registry.example.com', 'http://registry.example.com/token'],
      ['https://registry.example.com', 'https://evil-example.com/token'],
      ['https://ghcr.io', 'https://evil.io/token'],
      ['https://203.0.113.7', 'https://203.0.113.8/token'],
      ['http://127.0.0.1:5000', 'http://127.0.0.1:4600/token'],
      ['http://127.0.0.1:5000', 'http://169.254.169.254/token'],
    ],
    async (endpoint, realm) => {
      const { ask, asked } = registryAt(endpoint, realm)
      const answer = ask({ method: 'GET', url: `${endpoint}/v2/acme/web/manifests/1` })
      await expect(answer).rejects.toThrow(RegistryDenied)
      expect(asked.map(({ url }) => new URL(url).origin)).toEqual([endpoint])
    },
  ),
)

test('an upload that continues at another origin gets neither credentials nor the token', async () => {
  const { ask, asked } = registryAt('https://ghcr.io', 'https://ghcr.io/token')
  await ask({ method: 'POST', url: 'https://ghcr.io/v2/acme/web/blobs/uploads/' })
  await ask({ method: 'PUT', url: 'https://storage.example.com/upload?signature=1', body: 'blob' })
  expect(asked.at(-1)?.headers).toBeUndefined()
})
