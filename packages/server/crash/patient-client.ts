import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type TestResponse } from '../src/testing/client.ts'
import { Progress } from './progress.ts'

/** Interval between repeated requests, in milliseconds. */
const retryMs = 20

/** Response, and whether an earlier request without a response may have been executed. */
export type PatientAnswer = TestResponse & { wasHeard: boolean }

/** Interval between polls in milliseconds. Faster polls would take the processor from the service. */
export const lookMs = 25

/** Client that repeats requests without a response, with the same idempotency key. */
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
      wasHeard ||= !isUnreachable(seen)
    }
  }

  protected sendOnce(...asked: Parameters<Client['send']>): Promise<TestResponse> {
    return super.send(...asked)
  }

  /** Reports whether a response is final. Otherwise the request is repeated. */
  protected isAnswer(_answer: TestResponse): boolean {
    return true
  }
}

/** Reports whether `fetch` failed without a complete and timely response. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')

/** Reports whether a failed request cannot have been received. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED'
