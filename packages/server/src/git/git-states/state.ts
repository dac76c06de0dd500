import { randomBytes } from 'node:crypto'
import type { Actor } from '../../identity/audit-events/author.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { useGitState } from './store.ts'

/** State of an authorization flow that continues at a Git host. */
export interface GitState {
  purpose: 'claim' | 'connect'
  /** The person who started the flow; the callback must come from a browser signed in as the same person. */
  actor: Actor
  returnUrl: string
  callbackUrl: string
  /** PKCE verifier. It leaves the server only encrypted. */
  verifier: string
  githostbInstanceId?: string
  githostaInstallationId?: string
}

/** Encryption context of states. A state contains its own organization. */
const place = 'git state'

/** Lifetime of a state, in milliseconds: enough to sign in with a second factor. */
const lifeMs = 10 * 60_000

export interface AuthorizationStates {
  /** Encrypts a state for use in a URL. No one else can read, change or create one. */
  begin(state: GitState): string
  /** Decrypts a state and marks it as used. Rejects forged, expired and used states. */
  end(db: Db, text: string, purpose: GitState['purpose']): Promise<GitState>
}

export function createAuthorizationStates({ seal, clock }: { seal: Seal; clock: () => Date }): AuthorizationStates {
  type Sealed = GitState & { id: string; expiresAt: number }

  function open(text: string): Sealed | undefined {
    try {
      return JSON.parse(seal.open(place, text)) as Sealed
    } catch {
      return undefined // forged, truncated, or encrypted with another key
    }
  }

  return {
    begin(state) {
      const id = randomBytes(16).toString('base64url')
      const sealed: Sealed = { ...state, id, expiresAt: clock().getTime() + lifeMs }
      return seal.close(place, JSON.stringify(sealed))
    },

    async end(db, text, purpose) {
      const now = clock()
      const state = open(text)
      if (state?.purpose !== purpose) throw invalid('was not handed out here')
      const expiresAt = new Date(state.expiresAt)
      if (expiresAt <= now) throw invalid('is older than ten minutes')
      const { organizationId } = state.actor
      if (!(await useGitState(db, { id: state.id, organizationId, expiresAt }, now))) throw invalid('was used before')
      return state
    },
  }
}

const invalid = (why: string) =>
  new ApiError(
    'gitStateInvalid',
    `The connection request ${why}. Start again from the page where you began to connect.`,
  )
