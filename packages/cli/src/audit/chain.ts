import { createPublicKey, verify } from 'node:crypto'
import type { AuditEvent, AuditHead } from '@sluice/contract'
import { chainHashOf, contentHashOf, firstPreviousHash, signedTextOf } from '@sluice/server/identity/audit-events/chain'

/** Result of a check: faults, any of which invalidates the log, and a summary of what was verified. */
export type ChainCheckResult = { faults: string[]; summary: string[] }

type Link = { id: string; previousHash: string; hash: string }

/** Checks the audit log of one organization, event by event in any order, and then as a whole. */
export class ChainCheck {
  readonly #faults: string[] = []
  readonly #links = new Map<number, Link>()
  readonly #organizations = new Set<string>()
  #unlinked = 0
  #withoutContentHash = 0

  add(event: AuditEvent): void {
    const { id, chain, createdAt, organizationId } = event
    this.#organizations.add(organizationId)
    if (!chain) {
      this.#unlinked += 1
      return
    }
    const { sequence, previousHash, hash } = chain
    const other = this.#links.get(sequence)
    if (other) this.#faults.push(`${id} and ${other.id} both have the sequence ${sequence}.`)
    this.#links.set(sequence, { id, previousHash, hash })
    if (chain.contentHash === '') this.#withoutContentHash += 1
    else if (chain.contentHash !== contentHashOf(event)) {
      this.#faults.push(`${id} (sequence ${sequence}) was changed: its content is not that of its hash.`)
    }
    if (hash !== chainHashOf(chain, createdAt)) {
      this.#faults.push(`${id} (sequence ${sequence}) was changed: its hash is not that of its time, content and link.`)
    }
  }

  /**
   * Completes the check. `trustedKeys` are public keys that may sign heads; without any, each head's own key is used.
   */
  end(heads: readonly AuditHead[], trustedKeys: readonly string[]): ChainCheckResult {
    if (this.#organizations.size > 1) this.#faults.push('The events are of several organizations: check one at a time.')
    const sequences = [...this.#links.keys()].sort((one, other) => one - other)
    for (const [index, sequence] of sequences.entries()) this.#checkLink(sequence, sequences[index - 1])
    for (const head of heads) this.#checkHead(head, sequences, trustedKeys)
    return { faults: this.#faults, summary: this.#summaryOf(sequences, heads, trustedKeys) }
  }

  #checkLink(sequence: number, before: number | undefined): void {
    const { id, previousHash } = this.#links.get(sequence) as Link
    if (before === undefined) {
      if (sequence === 1 && previousHash !== firstPreviousHash) this.#faults.push(`${id} is not the first event.`)
      return
    }
    if (before < sequence - 1) {
      const missing = before + 1 === sequence - 1 ? `${before + 1} is` : `${before + 1} to ${sequence - 1} are`
      this.#faults.push(`Sequence ${missing} missing. Was the export filtered?`)
      return
    }
    if (this.#links.get(before)?.hash === previousHash) return
    this.#faults.push(`${id} (sequence ${sequence}) does not follow the event before it.`)
  }

  #checkHead(head: AuditHead, sequences: readonly number[], trustedKeys: readonly string[]): void {
    const name = `The head of ${head.signedAt}`
    const fault = (what: string) => this.#faults.push(`${name} ${what}`)
    if (!this.#organizations.has(head.organizationId)) fault(`is of another organization, ${head.organizationId}.`)
    if (trustedKeys.length > 0 && !trustedKeys.includes(head.publicKey))
      fault('is signed with a key that is not trusted.')
    if (!isSigned(head)) fault('is not signed with its key.')
    const [first = 0, last = 0] = [sequences.at(0), sequences.at(-1)]
    if (head.sequence > last) fault(`counts ${head.sequence} events, and sequence ${last} is the last one here.`)
    else if (head.sequence >= first && this.#links.get(head.sequence)?.hash !== head.hash) {
      fault(`has another hash for sequence ${head.sequence}: events up to there were changed since.`)
    }
  }

  #summaryOf(sequences: readonly number[], heads: readonly AuditHead[], trustedKeys: readonly string[]): string[] {
    const [first, last] = [sequences.at(0), sequences.at(-1)]
    const covered = heads.filter(({ sequence }) => sequence >= (first ?? 0)).map(({ sequence }) => sequence)
    const upTo = Math.max(0, ...covered)
    return [
      `${sequences.length} linked events${first === undefined ? '' : `, sequence ${first} to ${last}`}.`,
      ...(upTo > 0 ? [`Signed heads vouch for the events up to sequence ${upTo}.`] : []),
      ...(upTo < (last ?? 0)
        ? [`No head vouches for ${upTo === 0 ? 'any event' : 'those after it'}: ${unvouched}`]
        : []),
      ...(heads.length > 0 && trustedKeys.length === 0 ? [withoutKey] : []),
      ...(this.#withoutContentHash > 0 ? [`${this.#withoutContentHash} ${withoutContentHash}`] : []),
      ...(this.#unlinked > 0 ? [`${this.#unlinked} ${withoutLink}`] : []),
    ]
  }
}

const unvouched = 'anyone who can write to the database can compute their hashes again.'
const withoutKey = 'No trusted key was given: anybody could have signed the heads with a key of their own.'
const withoutContentHash =
  'events were recorded by an earlier version: their time and order are covered, their content is not.'
const withoutLink = 'events were recorded before version 0.3, which linked none: nothing covers them.'

function isSigned(head: AuditHead): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: head.publicKey }, format: 'jwk' })
    return verify(null, Buffer.from(signedTextOf(head)), key, Buffer.from(head.signature, 'base64url'))
  } catch {
    return false // not a public key
  }
}
