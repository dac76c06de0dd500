import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Callers } from './callers.ts'
import type { Credential } from './credential.ts'

/**
 * Reads a fingerprint of the permissions of each valid credential, by the hash of its token. Invalid credentials are
 * missing.
 */
export type ReadPermissionFingerprints = (credentials: readonly Credential[]) => Promise<ReadonlyMap<string, string>>

type Parts = {
  readRights: ReadPermissionFingerprints
  callers: Pick<Callers, 'forget'>
  log: Pick<FastifyBaseLogger, 'warn'>
}

type Watched = {
  credential: Credential
  isAllowed: () => Promise<boolean>
  revocation: AbortController
  rights: string | undefined
}

/**
 * Interval of checks while there are streams, in milliseconds: a revoked credential must stop working within a second.
 */
const lookMs = 400

/**
 * Ends streams of readers without permission, whichever process removed it. One statement reads the fingerprints of
 * all; only changed credentials are looked up completely.
 */
export class PermissionWatcher {
  readonly #parts: Parts
  readonly #all = new Set<Watched>()
  #isLooking = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Returns a signal that aborts when the credential is revoked, or `isAllowed` returns false after a change of its
   * permissions.
   */
  watch(credential: Credential, isAllowed: () => Promise<boolean>): { revoked: AbortSignal; stop(): void } {
    const one: Watched = { credential, isAllowed, revocation: new AbortController(), rights: undefined }
    this.#all.add(one)
    if (!this.#isLooking) void this.#lookWhileWatched()
    return { revoked: one.revocation.signal, stop: () => this.#all.delete(one) }
  }

  async #lookWhileWatched(): Promise<void> {
    this.#isLooking = true
    while (this.#all.size > 0) {
      await this.#look().catch((error) => this.#parts.log.warn({ err: error }, 'rights could not be read'))
      await sleep(lookMs)
    }
    this.#isLooking = false
  }

  async #look(): Promise<void> {
    const all = [...this.#all]
    const credentials = new Map(all.map(({ credential }) => [credential.tokenHash, credential]))
    const rights = await this.#parts.readRights([...credentials.values()])
    const changed = all.filter((one) => one.rights === undefined || one.rights !== rights.get(one.credential.tokenHash))
    if (changed.length > 0) this.#parts.callers.forget()
    await Promise.all(changed.map((one) => this.#lookAt(one, rights.get(one.credential.tokenHash))))
  }

  async #lookAt(one: Watched, rights: string | undefined): Promise<void> {
    one.rights = rights
    if (rights !== undefined && (await one.isAllowed())) return
    this.#all.delete(one)
    one.revocation.abort()
  }
}
