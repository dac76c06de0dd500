import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'

type Key = { kid: string; alg: string; privateKey: CryptoKey; published: object }

/** Starts an issuer of signed tokens, like a CI system or identity provider, which signs any requested token. */
export async function startIssuer(kid = 'first') {
  const asked: string[] = []
  const keys: Key[] = [await newKey(kid)]
  /** Overrides of its metadata, to simulate a dishonest issuer. */
  const lies: Record<string, unknown> = {}
  /** Response to an authorization code. */
  let redeem: (form: URLSearchParams) => Promise<object> = async () => ({})
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answerTo(request)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answerTo(request: IncomingMessage): Promise<object> {
    if (request.url === '/token') {
      return redeem(new URLSearchParams(Buffer.concat(await request.toArray()).toString()))
    }
    if (request.url === '/keys') return { keys: keys.map(({ published }) => published) }
    const at = (path: string) => `${url}/${path}`
    return {
      issuer: url,
      jwks_uri: at('keys'),
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      end_session_endpoint: at('end'),
      authorization_response_iss_parameter_supported: true,
      ...lies,
    }
  }

  return {
    url,
    asked,
    lies,
    /** Sets the response to authorization codes. */
    onCode(answer: typeof redeem) {
      redeem = answer
    },
    /** Adds a key that signs from now on. Older keys remain published. */
    async rotate(next: string) {
      keys.push(await newKey(next))
    },
    /** Signs a token with these claims, valid for a minute. */
    async sign(claims: Record<string, unknown>, header: { kid?: string; typ?: string } = {}): Promise<string> {
      const key = keys.at(-1)
      if (!key) throw new Error('there is no key')
      const now = Math.floor(Date.now() / 1_000)
      return new SignJWT({ iss: url, iat: now, exp: now + 60, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey)
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

async function newKey(kid: string): Promise<Key> {
  const alg = 'RS256'
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}
