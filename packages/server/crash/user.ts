import { setTimeout as sleep } from 'node:timers/promises'
import { apiErrors, type Deployment, isDeploymentOver } from '@sluice/contract'
import type { Client, TestResponse } from '../src/testing/client.ts'
import { pausesOf } from '../src/testing/world.ts'
import { isLostConnection, isUnreachable, type PatientAnswer } from './patient-client.ts'
import { Activity, defaultMaxStallMs, Progress } from './progress.ts'
import { Random } from './random.ts'

export const isFinal = ({ status }: Deployment): boolean => isDeploymentOver(status)

/** Interval between repeated requests, in milliseconds. */
const retryMs = 100

/** Maximum pause of a fast user between polls, which cost the service some time. Milliseconds. */
export const quickMs = 250

/** User with a careful client: it repeats requests when the connection fails, and checks before it creates again. */
export class User {
  readonly client: Client
  readonly #random: Random
  readonly #mostThoughtMs: number
  readonly #maxStallMs: number
  /** Seed of decisions. Numbers of a shared generator would depend on the order of concurrent releases. */
  readonly #decisionSeed: number
  /** Shared by all waits, because a queued deployment does not change while the previous one is in progress. */
  readonly #activity = new Activity()
  #releases = 0

  constructor(client: Client, random: Random, mostThoughtMs = 500, maxStallMs = defaultMaxStallMs) {
    this.client = client
    this.#random = random
    this.#decisionSeed = random.between(0, 2 ** 32)
    this.#mostThoughtMs = mostThoughtMs
    this.#maxStallMs = maxStallMs
  }

  /** Creates a deployment, and waits while the queue is full. After a lost response, checks whether it was created. */
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

  /**
   * Continues the pause `hookId`, the nth of the deployment, with or without its ID. The response is 200, or 422 if the
   * pause is over.
   */
  continue(id: string, hookId: string, nth = 1): Promise<TestResponse> {
    const data = new Random(this.#decisionSeed + nth).chance(0.5) ? { hookId } : {}
    return this.#patiently('POST', `/deployments/${id}/continue`, { data })
  }

  cancel(id: string): Promise<PatientAnswer> {
    return this.#patiently('POST', `/deployments/${id}/cancel`)
  }

  async get(id: string): Promise<Deployment> {
    return dataOf<Deployment>(await this.#patiently('GET', `/deployments/${id}`))
  }

  /** Returns every deployment of the organization, or of one module instance. */
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

  /** Continues every pause of the deployment, each after a delay, until it ends. */
  async follow(id: string): Promise<Deployment> {
    const continued = new Set<string>()
    const progress = this.#waitFor(`the end of ${id}`)
    for (;;) {
      const deployment = await this.get(id)
      if (isFinal(deployment)) return deployment
      progress.observe(stateOf(deployment))
      const hookId = pausesOf(deployment).find((one) => !continued.has(one))
      await sleep(this.#random.between(this.#mostThoughtMs / 5, this.#mostThoughtMs)) // speed of a person
      if (hookId === undefined) continue
      continued.add(hookId)
      await this.continue(id, hookId, continued.size)
    }
  }

  /** Polls the deployment until it ends, without decisions. */
  lookOn(id: string): Promise<Deployment> {
    return this.until(id, 'the end', isFinal)
  }

  /** Polls the deployment until the condition holds. `what` names it in errors. */
  async until(id: string, what: string, holds: (deployment: Deployment) => boolean): Promise<Deployment> {
    const progress = this.#waitFor(`${what} of ${id}`)
    for (;;) {
      const deployment = await this.get(id)
      if (holds(deployment)) return deployment
      progress.observe(stateOf(deployment))
      await sleep(this.#mostThoughtMs) // speed of a person
    }
  }

  async #create(
    path: string,
    body: unknown,
    moduleInstanceId: string,
    isIt: (one: Deployment) => boolean,
  ): Promise<Deployment> {
    const progress = this.#waitFor(`a deployment to be accepted by POST ${path}`)
    for (;;) {
      const answer = await this.#ask('POST', path, body, progress.timeout()).catch(lostConnection)
      const created =
        answer && answer.status !== comeAgain ? createdBy(answer) : (await this.list(moduleInstanceId)).find(isIt)
      if (created) return created
      progress.check(answer ?? 'a lost connection')
      await sleep(retryMs)
    }
  }

  /** Repeats a request without a response. Only for idempotent requests. */
  async #patiently(method: string, path: string, body?: unknown): Promise<PatientAnswer> {
    const progress = new Progress(`an answer to ${method} ${path}`, { maxStallMs: this.#maxStallMs })
    let wasHeard = false
    for (;;) {
      let lost: unknown
      const answer = await this.#ask(method, path, body, progress.timeout()).catch((error) => {
        lost = error
        wasHeard ||= !isUnreachable(error)
        return lostConnection(error)
      })
      wasHeard ||= answer?.status === comeAgain
      if (answer && answer.status !== comeAgain && answer.status !== 422 && answer.status >= 300)
        throw unexpected(method, path, answer)
      // A patient client repeats requests itself.
      if (answer && answer.status !== comeAgain) return { wasHeard, ...answer }
      progress.check(lost ?? answer)
      await sleep(retryMs)
    }
  }

  #ask(method: string, path: string, body: unknown, signal: AbortSignal): Promise<TestResponse> {
    return this.client.send(method, path, { signal, ...(body === undefined ? {} : { json: JSON.stringify(body) }) })
  }

  #waitFor(what: string): Progress {
    return new Progress(what, { maxStallMs: this.#maxStallMs, activity: this.#activity })
  }
}

/** Returns the state without what changes with each poll, such as the time of the last observation. */
const stateOf = ({ id, status, data }: Deployment) => ({ id, status, events: data?.events })

/** Status when the database is unavailable: the request can be repeated, and may have been executed. */
const comeAgain = 503

function lostConnection(error: unknown): undefined {
  if (!isLostConnection(error)) throw error
}

function createdBy(answer: TestResponse): Deployment | undefined {
  if (answer.status === 201) return dataOf<Deployment>(answer)
  if ((answer.body as { code?: string }).code === apiErrors.queueFull.code) return undefined
  throw unexpected('POST', 'a deployment', answer)
}

const unexpected = (method: string, path: string, { status, body }: TestResponse) =>
  new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)

const dataOf = <T>({ body }: TestResponse): T => (body as { data: T }).data
