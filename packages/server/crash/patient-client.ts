import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Client } from '../src/testing/client.ts'

const retryMs = 20

/** A client that asks again while nobody answers: by the same key, as what it asked for may have been done. */
export class PatientClient extends Client {
  override async send(...[method, path, request]: Parameters<Client['send']>): Promise<Answer> {
    const key = method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
    const headers = { ...key, ...request.headers }
    for (;;) {
      try {
        return await super.send(method, path, { ...request, headers })
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // what fetch throws without an answer
        await sleep(retryMs)
      }
    }
  }
}
