import type { IncomingHttpHeaders } from 'node:http'
import { apiKeyIn } from './api-key.ts'
import { sessionTokenIn } from './session-cookie.ts'
import { hashOf } from './token.ts'

/** Credential of a request. */
export interface Credential {
  type: 'API_KEY' | 'SESSION'
  token: string
  /** SHA-256 of the token, in hexadecimal. */
  tokenHash: string
}

/** Returns the credential in the headers of a request. An authorization header takes precedence over cookies. */
export function credentialIn({ authorization, cookie }: IncomingHttpHeaders): Credential | undefined {
  if (authorization !== undefined) return credential('API_KEY', apiKeyIn(authorization))
  if (cookie !== undefined) return credential('SESSION', sessionTokenIn(cookie))
  return undefined
}

const credential = (type: Credential['type'], token: string | undefined): Credential | undefined =>
  token === undefined ? undefined : { type, token, tokenHash: hashOf(token) }
