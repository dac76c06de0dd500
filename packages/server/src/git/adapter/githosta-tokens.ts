import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import Type, { type Static } from 'typebox'
import type { Ask } from './ask.ts'

/** The GitHub App that this server is at the host. */
export interface GitHostAApp {
  id: string
  /** PEM, as the host hands it out. */
  privateKey: string
  clientId: string
  clientSecret: string
  webhookSecret: string
}

/** What a token is good for: one repository of one installation, or the list of all that it sees. */
export interface TokenScope {
  installationId: string
  repository: { id: string } | { name: string } | 'list'
  /** To read files only, for what is handed to other programs; else all that the app was granted. */
  isReadOnly?: boolean
}

export interface InstallationToken {
  token: string
  /** After this another one is handed out. */
  freshUntil: Date
}

export interface InstallationTokens {
  /** As the app itself, for questions about its installations. */
  appHeaders(): Promise<Record<string, string>>
  get(scope: TokenScope): Promise<InstallationToken>
  /** A token that the host did not take is not used again. */
  forget(token: string): void
}

const Token = Type.Object({ token: Type.String(), expires_at: Type.String() })

/** A token that expires sooner is not handed out: what is begun with it must not be cut off. Milliseconds. */
const marginMs = 5 * 60_000
/** Ten minutes are the most that the host takes; its clock may be behind ours. Seconds. */
const assertionSeconds = { before: 60, after: 9 * 60 }

/** Mints tokens when they are used and keeps them until shortly before they expire. */
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

/** A token that is there or on its way: who asks meanwhile waits for the same one. */
interface Kept {
  minted: Promise<Static<typeof Token>>
  token?: string
  expiresAt: number
}

async function tokenOf({ minted }: Kept): Promise<InstallationToken> {
  const { token, expires_at } = await minted
  return { token, freshUntil: new Date(Date.parse(expires_at) - marginMs) }
}

/** Signs a JSON Web Token that proves that the server holds the app's key. */
function appAssertion(appId: string, key: KeyObject, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setIssuedAt(seconds - assertionSeconds.before)
    .setExpirationTime(seconds + assertionSeconds.after)
    .sign(key)
}
