import { randomBytes } from 'node:crypto'
import type { Actor } from '../../identity/audit-events/author.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { spendGitState } from './store.ts'

/** What somebody began here and goes on with at a git host. */
export interface GitState {
  purpose: 'claim' | 'connect'
  /** Who began it, as the one who will have done it: in a browser, which comes back signed in as the same. */
  actor: Actor
  returnUrl: string
  callbackUrl: string
  /** Of PKCE: it never leaves this server but sealed. */
  verifier: string
  githostbInstanceId?: string
  githostaInstallationId?: string
}

/** It stands in an address bar, and who it is of is inside. */
const place = 'git state'

/** Milliseconds. Long enough to sign in at the host with a second factor. */
const lifeMs = 10 * 60_000

export interface GitStates {
  /** For the address bar: nobody reads, changes or makes one up, since it is sealed with a key of this server. */
  begin(state: GitState): string
  /** What was begun, once. Refuses what was not begun here, took too long or came back before. */
  end(db: Db, text: string, purpose: GitState['purpose']): Promise<GitState>
}

export function createGitStates({ seal, clock }: { seal: Seal; clock: () => Date }): GitStates {
  type Sealed = GitState & { id: string; expiresAt: number }

  function open(text: string): Sealed | undefined {
    try {
      return JSON.parse(seal.open(place, text)) as Sealed
    } catch {
      return undefined // forged, cut off, or from a server with another key
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
      if (!(await spendGitState(db, { id: state.id, organizationId, expiresAt }, now))) throw invalid('was used before')
      return state
    },
  }
}

const invalid = (why: string) =>
  new Refusal('gitStateInvalid', `This state ${why}; begin again where you wanted to connect.`)
