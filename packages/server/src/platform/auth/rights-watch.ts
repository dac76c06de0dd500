import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Callers } from './callers.ts'
import type { Credential } from './credential.ts'

/**
 * Reads of live credentials, by the hash of their token, a text that is another one whenever their rights may be
 * others; of those that are over, nothing.
 */
export type ReadRights = (credentials: readonly Credential[]) => Promise<ReadonlyMap<string, string>>

type Parts = { readRights: ReadRights; callers: Pick<Callers, 'forget'>; log: Pick<FastifyBaseLogger, 'warn'> }

type Watched = {
  credential: Credential
  isAllowed: () => Promise<boolean>
  revocation: AbortController
  rights: string | undefined
}

/** While there are streams: what is revoked must be dead within a second in every process. Real milliseconds. */
const lookMs = 400

/**
 * Ends streams whose reader may no longer read them, whichever process took the right away and whatever a stream waits
 * for. One statement asks for all of them, and only those whose rights have changed are looked at in full.
 */
export class RightsWatch {
  readonly #parts: Parts
  readonly #all = new Set<Watched>()
  #isLooking = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Aborts `revoked` when the credential is over, or `isAllowed` says so after a change of its rights. */
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
