import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import Type, { type Static } from 'typebox'
import type { Ask } from './ask.ts'

/** Settings of the GitHub App of this server. */
export interface GitHostAApp {
  id: string
  /** PEM, as downloaded from GitHub. */
  privateKey: string
  clientId: string
  clientSecret: string
  webhookSecret: string
}

/** Scope of a token: one repository of an installation, or the list of its repositories. */
export interface TokenScope {
  installationId: string
  repository: { id: string } | { name: string } | 'list'
  /**
   * Whether to restrict the token to reading files, for use by other programs. By default it has all of the app's
   * permissions.
   */
  isReadOnly?: boolean
}

export interface InstallationToken {
  token: string
  /** Time after which a new token is issued. */
  freshUntil: Date
}

export interface InstallationTokens {
  /** Returns headers that authenticate as the app itself, for requests about its installations. */
  appHeaders(): Promise<Record<string, string>>
  get(scope: TokenScope): Promise<InstallationToken>
  /** Removes a token that the host rejected. */
  forget(token: string): void
}

const Token = Type.Object({ token: Type.String(), expires_at: Type.String() })

/** Minimum remaining lifetime of a token, in milliseconds, so that it does not expire during use. */
const marginMs = 5 * 60_000
/** Validity of the app's JWT, in seconds around now. GitHub allows ten minutes, and its clock may be behind. */
const assertionSeconds = { before: 60, after: 9 * 60 }

/** Creates installation tokens on demand and caches them until shortly before they expire. */
export function createInstallationTokens(
  app: Pick<GitHostAApp, 'id' | 'privateKey'>,
  { ask, api, clock }: { ask: Ask; api: string; clock: () => Date },
): InstallationTokens {
  const key = createPrivateKey(app.privateKey)
  const kept = new Map<string, Kept>()
  const appHeaders = async () => ({ authorization: `Bearer ${await appAssertion(app.id, key, clock())}` })

  async function mint({ installationId, repository, isReadOnly }: TokenScope) {
    const { body } = await ask(Token, {
      method: 'POST',
      url: `${api}/app/installations/${encodeURIComponent(installationId)}/access_tokens`,
      headers: await appHeaders(),
      body: {
        ...targetOf(repository),
        ...(isReadOnly && { permissions: { contents: 'read' } }),
      },
    })
    return body
  }

  return {
    appHeaders,
    get(scope) {
      const now = clock().getTime()
      for (const [name, { expiresAt }] of kept) if (expiresAt - marginMs <= now) kept.delete(name)
      const name = JSON.stringify(scope)
      const known = kept.get(name)
      if (known) return tokenOf(known)
      const entry: Kept = { minted: mint(scope), expiresAt: Number.POSITIVE_INFINITY }
      kept.set(name, entry)
      entry.minted.then(
        ({ token, expires_at }) => Object.assign(entry, { token, expiresAt: Date.parse(expires_at) }),
        () => kept.delete(name),
      )
      return tokenOf(entry)
    },
    forget(token) {
      for (const [name, entry] of kept) if (entry.token === token) kept.delete(name)
    },
  }
}

function targetOf(repository: TokenScope['repository']) {
  if (repository === 'list') return { permissions: { metadata: 'read' } }
  if ('id' in repository) return { repository_ids: [Number(repository.id)] }
  return { repositories: [repository.name.split('/').at(-1)] }
}

/** Token that is cached or being created, shared by concurrent callers. */
interface Kept {
  minted: Promise<Static<typeof Token>>
  token?: string
  expiresAt: number
}

async function tokenOf({ minted }: Kept): Promise<InstallationToken> {
  const { token, expires_at } = await minted
  return { token, freshUntil: new Date(Date.parse(expires_at) - marginMs) }
}

/** Signs the JSON Web Token that authenticates the server as the app. */
function appAssertion(appId: string, key: KeyObject, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setIssuedAt(seconds - assertionSeconds.before)
    .setExpirationTime(seconds + assertionSeconds.after)
    .sign(key)
}
