import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Client } from '../src/testing/client.ts'
import { Progress } from './progress.ts'

/** The pace of a client that tries again. Milliseconds. */
const retryMs = 20

/** An answer, and whether the same may have been heard before, when the answer to it was lost. */
export type PatientAnswer = Answer & { wasHeard: boolean }

/** So long between two looks at what goes on: without, they take the processor from it. Milliseconds. */
export const lookMs = 25

/** A client that asks again while nobody answers: by the same key, as what it asked for may have been done. */
export class PatientClient extends Client {
  override async send(...[method, path, request]: Parameters<Client['send']>): Promise<PatientAnswer> {
    const key = method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
    const headers = { ...key, ...request.headers }
    const progress = new Progress(`an answer to ${method} ${path}`)
    for (let wasHeard = false; ; await sleep(retryMs)) {
      const signal = AbortSignal.any([progress.timeout(), ...(request.signal ? [request.signal] : [])])
      let seen: unknown
      try {
        const answer = await this.sendOnce(method, path, { ...request, headers, signal })
        if (this.isAnswer(answer)) return { ...answer, wasHeard }
        seen = answer
      } catch (error) {
        if (request.signal?.aborted || !isLostConnection(error)) throw error
        seen = error
      }
      progress.check(seen)
      wasHeard ||= !isNobodyThere(seen)
    }
  }

  protected sendOnce(...asked: Parameters<Client['send']>): Promise<Answer> {
    return super.send(...asked)
  }

  /** Whether that is what it wants to know; else it asks again. */
  protected isAnswer(_answer: Answer): boolean {
    return true
  }
}

/** Whether `fetch` threw this because there was no answer, or only a part of one, or none in time. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')

/** Whether a request that failed so cannot have been heard. */
export const isNobodyThere = (error: unknown): boolean =>
  error instanceof TypeError && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED'
