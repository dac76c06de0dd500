import { createHmac } from 'node:crypto'
import { createSeal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AnswerOnce, KeyedRequest } from '../../platform/http/once.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { claimKey, findAnswer, forgetAnswer, type KnownAnswer, keepAnswer } from './store.ts'

/** How long an answer is given again. Milliseconds. */
export const keptMs = 24 * 3_600_000

/** The row that holds the key for us, or the answer that was given before. */
type Claim = { claimed: string; known?: undefined } | { claimed?: undefined; known: KnownAnswer }

/**
 * `key`: 32 bytes. Answers are sealed with it, because some show a secret that is kept nowhere else; requests are only
 * recognised by a MAC, because some carry one that is short enough to be guessed from a plain hash.
 */
export function createAnswerOnce({ key, clock }: { key: Buffer; clock: () => Date }): AnswerOnce {
  const seal = createSeal(key)
  const recognise = ({ content }: KeyedRequest) => createHmac('sha256', key).update(content).digest('hex')

  return (db, request, work) =>
    db.transaction(async (tx) => {
      const requestHash = recognise(request)
      // Waits for a transaction that holds the same key; when that one is undone, this one does the work.
      const { claimed, known } = await claim(tx, request, requestHash)
      if (known === undefined) {
        const answer = await work(tx)
        await keepAnswer(tx, claimed, { status: answer.status, body: seal.close(JSON.stringify(answer.body)) })
        return { ...answer, isReplay: false }
      }
      if (known.requestHash !== requestHash) {
        const message = `The key ${request.key} came with another request; use a new one for each request.`
        throw new Refusal('idempotencyKeyReused', message)
      }
      return { status: known.status, body: JSON.parse(seal.open(known.body)), isReplay: true }
    })

  async function claim(tx: Db, request: KeyedRequest, requestHash: string): Promise<Claim> {
    for (;;) {
      const claimed = await claimKey(tx, request, requestHash, clock())
      if (claimed !== undefined) return { claimed }
      const known = await findAnswer(tx, request)
      if (!known) continue // it was forgotten in between
      if (known.createdAt.getTime() > clock().getTime() - keptMs) return { known }
      await forgetAnswer(tx, known.id)
    }
  }
}
