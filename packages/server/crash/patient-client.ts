import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Client } from '../src/testing/client.ts'

const retryMs = 20

/** A client that asks again while nobody answers. */
export class PatientClient extends Client {
  override async send(...request: Parameters<Client['send']>): Promise<Answer> {
    for (;;) {
      try {
        return await super.send(...request)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // what fetch throws without an answer
        await sleep(retryMs)
      }
    }
  }
}
