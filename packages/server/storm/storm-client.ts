import { PatientClient } from '../crash/patient-client.ts'
import type { Client, TestResponse } from '../src/testing/client.ts'

/** Time after which a user repeats a request without a response, in milliseconds. */
const patienceMs = 8_000

/** Time that a user waited for a response, including repeated requests. */
export type Wait = { method: string; path: string; ms: number }

/** Client that repeats requests without a response or with a server error, and records the waits. */
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

  protected override sendOnce(...[method, path, request]: Parameters<Client['send']>): Promise<TestResponse> {
    return super.sendOnce(method, path, { ...request, signal: AbortSignal.timeout(patienceMs) })
  }

  protected override isAnswer({ status }: TestResponse): boolean {
    return status < 500
  }
}

/** Replaces IDs in a path: `/deployments/dep_1/cancel?limit=1` becomes `/deployments/{id}/cancel`. */
const shapeOf = (path: string) => path.replace(/\?.*/, '').replaceAll(/[a-z]+_[0-9a-z]{20,}/g, '{id}')
