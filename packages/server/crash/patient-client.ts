import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Client } from '../src/testing/client.ts'

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
    for (let wasHeard = false; ; ) {
      try {
        const answer = await this.sendOnce(method, path, { ...request, headers })
        if (this.isAnswer(answer)) return { ...answer, wasHeard }
        wasHeard = true
      } catch (error) {
        if (!this.isLost(error)) throw error
        wasHeard ||= !isNobodyThere(error)
      }
      await sleep(retryMs)
    }
  }

  protected sendOnce(...asked: Parameters<Client['send']>): Promise<Answer> {
    return super.send(...asked)
  }

  /** Whether that is what it wants to know; else it asks again. */
  protected isAnswer(_answer: Answer): boolean {
    return true
  }

  /** What `fetch` throws where there is no answer, or only a part of one. */
  protected isLost(error: unknown): boolean {
    return error instanceof TypeError
  }
}

/** Whether a request that failed so cannot have been heard. */
export const isNobodyThere = (error: unknown): boolean =>
  error instanceof TypeError && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED'
