import { setTimeout as sleep } from 'node:timers/promises'
import { type Deployment, isDeploymentOver, refusals } from '@sluice/contract'
import type { Answer, Client } from '../src/testing/client.ts'
import { pausesOf } from '../src/testing/world.ts'
import { isNobodyThere, type PatientAnswer } from './patient-client.ts'
import type { Random } from './random.ts'

export const isFinal = ({ status }: Deployment): boolean => isDeploymentOver(status)

const retryMs = 100

/** So long a quick user thinks at most before the next look, which costs the service some time. Milliseconds. */
export const quickMs = 250

/** A person with a good client program: it asks again when the connection fails, and looks before it creates again. */
export class User {
  readonly client: Client
  readonly #random: Random
  readonly #mostThoughtMs: number
  #releases = 0

  constructor(client: Client, random: Random, mostThoughtMs = 500) {
    this.client = client
    this.#random = random
    this.#mostThoughtMs = mostThoughtMs
  }

  /** Accepts a deployment; waits while the queue is full. Undefined answers are cleared up by looking for it. */
  async deploy(moduleInstanceId: string, what: string, inputs: object = { image_ref: what }): Promise<Deployment> {
    this.#releases += 1
    const description = `Release ${this.#releases}: ${what}`
    const body = { data: { moduleInstanceId, description, inputs } }
    return this.#create('/deployments', body, moduleInstanceId, (one) => one.description === description)
  }

  redeploy({ id, moduleInstanceId }: Deployment): Promise<Deployment> {
    const isIt = (one: Deployment) => one.redeployOfDeploymentId === id
    return this.#create(`/deployments/${id}/redeploy`, undefined, moduleInstanceId, isIt)
  }

  rollback({ id, moduleInstanceId }: Deployment): Promise<Deployment> {
    const isIt = (one: Deployment) => one.description.startsWith(`Rollback of ${id}`)
    return this.#create(`/deployments/${id}/rollback`, undefined, moduleInstanceId, isIt)
  }

  /** Continues the pause `hookId`, by its name or as the one there is. The answer is 200, or 422 where it is over. */
  continue(id: string, hookId: string): Promise<Answer> {
    const data = this.#random.chance(0.5) ? { hookId } : {}
    return this.#patiently('POST', `/deployments/${id}/continue`, { data })
  }

  cancel(id: string): Promise<PatientAnswer> {
    return this.#patiently('POST', `/deployments/${id}/cancel`)
  }

  async get(id: string): Promise<Deployment> {
    return dataOf<Deployment>(await this.#patiently('GET', `/deployments/${id}`))
  }

  /** Every deployment of the organization, or of one module instance. */
  async list(moduleInstanceId?: string): Promise<Deployment[]> {
    const filter = moduleInstanceId === undefined ? '' : `&moduleInstanceId=${moduleInstanceId}`
    const found: Deployment[] = []
    for (let cursor = ''; ; ) {
      const answer = await this.#patiently('GET', `/deployments?limit=100${filter}${cursor}`)
      found.push(...dataOf<Deployment[]>(answer))
      const { nextCursor } = (answer.body as { meta: { nextCursor: string } }).meta
      if (nextCursor === '') return found
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`
    }
  }

  /** Continues every pause of the deployment, each after some thought, until it is over. */
  async follow(id: string): Promise<Deployment> {
    const continued = new Set<string>()
    for (;;) {
      const deployment = await this.get(id)
      if (isFinal(deployment)) return deployment
      const hookId = pausesOf(deployment).find((one) => !continued.has(one))
      await sleep(this.#random.between(this.#mostThoughtMs / 5, this.#mostThoughtMs))
      if (hookId === undefined) continue
      continued.add(hookId)
      await this.continue(id, hookId)
    }
  }

  /** Looks on, and decides nothing, until the deployment is over. */
  async lookOn(id: string): Promise<Deployment> {
    for (;;) {
      const deployment = await this.get(id)
      if (isFinal(deployment)) return deployment
      await sleep(this.#mostThoughtMs)
    }
  }

  async #create(
    path: string,
    body: unknown,
    moduleInstanceId: string,
    isIt: (one: Deployment) => boolean,
  ): Promise<Deployment> {
    for (;;) {
      const answer = await this.client.ask('POST', path, body).catch(lostConnection)
      const created =
        answer && answer.status !== comeAgain ? createdBy(answer) : (await this.list(moduleInstanceId)).find(isIt)
      if (created) return created
      await sleep(retryMs)
    }
  }

  /** Only for what may be asked twice. */
  async #patiently(method: string, path: string, body?: unknown): Promise<PatientAnswer> {
    let wasHeard = false
    for (;;) {
      const answer = await this.client.ask(method, path, body).catch((error) => {
        wasHeard ||= !isNobodyThere(error)
        return lostConnection(error)
      })
      wasHeard ||= answer?.status === comeAgain
      if (answer && answer.status !== comeAgain && answer.status !== 422 && answer.status >= 300)
        throw unexpected(method, path, answer)
      if (answer && answer.status !== comeAgain) return { wasHeard, ...answer } // a patient client knows it itself
      await sleep(retryMs)
    }
  }
}

/** The database was away: it may be asked for again, and may be done. */
const comeAgain = 503

/** `fetch` says with a TypeError that there was no answer, or only a part of one. */
function lostConnection(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}

function createdBy(answer: Answer): Deployment | undefined {
  if (answer.status === 201) return dataOf<Deployment>(answer)
  if ((answer.body as { code?: string }).code === refusals.queueFull.code) return undefined
  throw unexpected('POST', 'a deployment', answer)
}

const unexpected = (method: string, path: string, { status, body }: Answer) =>
  new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)

const dataOf = <T>({ body }: Answer): T => (body as { data: T }).data
