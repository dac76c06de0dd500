import { isSigned, type Secrets, sign } from '../../platform/crypto/keys.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import { createSeal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { IdempotentExecutor, KeyedRequest } from '../../platform/http/once.ts'
import { claimKey, deleteResponse, findAnswer, type KnownAnswer, storeResponse } from './store.ts'
import { sealedAnswers } from './tables.ts'

/** Retention of a response, in milliseconds. */
export const retentionMs = 24 * 3_600_000

/** Row of the key that this request acquired, or the stored response of an earlier one. */
type Claim = { claimed: string; known?: undefined } | { claimed?: undefined; known: KnownAnswer }

/**
 * Executes requests with an idempotency key once. Responses are encrypted with the newest secret, because some contain
 * a secret that is stored nowhere else. Requests are stored as a MAC, because short secrets could be guessed from a
 * plain hash.
 */
export function createIdempotentExecutor({
  secrets,
  clock,
}: {
  secrets: Secrets
  clock: () => Date
}): IdempotentExecutor {
  const seal = createSeal(secrets)
  const placeOf = ({ organizationId }: KeyedRequest, row: string) =>
    createSealContext(sealedAnswers, organizationId, row)

  return (db, request, work) =>
    db.transaction(async (tx) => {
      const requestHash = sign(secrets, request.content).toString('hex')
      // Waits for a transaction with the same key; if that rolls back, this request is executed.
      const { claimed, known } = await claim(tx, request, requestHash)
      if (known === undefined) {
        const answer = await work(tx)
        const body = seal.close(placeOf(request, claimed), JSON.stringify(answer.body))
        await storeResponse(tx, claimed, { status: answer.status, body })
        return { ...answer, isReplay: false }
      }
      if (!isSigned(secrets, request.content, Buffer.from(known.requestHash, 'hex'))) {
        const message = `The key ${request.key} came with another request; use a new one for each request.`
        throw new ApiError('idempotencyKeyReused', message)
      }
      return {
        status: known.status,
        body: JSON.parse(seal.open(placeOf(request, known.id), known.body)),
        isReplay: true,
      }
    })

  async function claim(tx: Db, request: KeyedRequest, requestHash: string): Promise<Claim> {
    for (;;) {
      const claimed = await claimKey(tx, request, requestHash, clock())
      if (claimed !== undefined) return { claimed }
      const known = await findAnswer(tx, request)
      if (!known) continue // it was deleted in between
      if (known.createdAt.getTime() > clock().getTime() - retentionMs) return { known }
      await deleteResponse(tx, known.id)
    }
  }
}
