import { PatientClient } from '../crash/patient-client.ts'
import type { Answer, Client } from '../src/testing/client.ts'

/** A person waits so long for an answer before they ask again. Milliseconds. */
const patienceMs = 8_000

/** How long somebody waited until they were answered, asking again by themselves. */
export type Wait = { method: string; path: string; ms: number }

/** Asks again where there is no answer in time, or one that the service could not; notes how long it took. */
export class StormClient extends PatientClient {
  readonly waits: Wait[]

  constructor(url: string, token: string, waits: Wait[]) {
    super(url, token)
    this.waits = waits
  }

  override async send(...[method, path, request]: Parameters<Client['send']>) {
    const askedAt = performance.now()
    const answer = await super.send(method, path, request)
    this.waits.push({ method, path: shapeOf(path), ms: performance.now() - askedAt })
    return answer
  }

  protected override sendOnce(...[method, path, request]: Parameters<Client['send']>): Promise<Answer> {
    return super.sendOnce(method, path, { ...request, signal: AbortSignal.timeout(patienceMs) })
  }

  protected override isAnswer({ status }: Answer): boolean {
    return status < 500
  }
}

/** `/deployments/dep_1/cancel?limit=1` is `/deployments/{id}/cancel`. */
const shapeOf = (path: string) => path.replace(/\?.*/, '').replaceAll(/[a-z]+_[0-9a-z]{20,}/g, '{id}')
