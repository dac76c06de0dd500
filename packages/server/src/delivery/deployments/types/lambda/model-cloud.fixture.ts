import type { CloudClients } from '../../../../cloud/adapter/access.ts'
import { isSameRouting, type Routing } from '../../../../cloud/facts/lambda.ts'

/** Thrown when the worker crashes while it waits for a response, so that nothing is saved. */
export class WorkerCrash extends Error {}

/** Delivery of the next request: answered; executed with a lost response; or executed later. */
export type Delivery = 'answered' | 'answer-lost' | 'late'

type Input = {
  FunctionVersion?: string
  RoutingConfig?: { AdditionalVersionWeights?: Record<string, number> }
  RevisionId?: string
  S3Key?: string
  DryRun?: boolean
  CodeSha256?: string
  Qualifier?: string
}

type Latest = { sha: string; update: 'InProgress' | 'Successful' | 'Failed' }
type Version = { sha: string; state: 'Pending' | 'Active' | 'Failed' }

/**
 * Model of one function with an alias, according to the cloud's documentation, behind the vendor's client interface.
 */
export class ModelCloud {
  delivery: Delivery = 'answered'
  latest: Latest = { sha: 'old', update: 'Successful' }
  readonly versions = new Map<string, Version>([['6', { sha: 'old', state: 'Active' }]])
  routing: Routing = { version: '6' }
  /** Whether the alias is in a state that another actor set. */
  isForeign = false
  /** Moves of the alias by Sluice, in order. */
  readonly moves: Routing[] = []
  /** Code updates by Sluice, in order. */
  readonly updates: string[] = []
  fails: 'update' | 'version' | undefined
  /** Operation that the role is not permitted to call. */
  denied: string | undefined
  #functionRevision = 1
  #aliasRevision = 1
  readonly #late: (() => void)[] = []

  /** Returns the vendor's client for this function. */
  get client(): CloudClients['lambda'] {
    const send = async (command: { constructor: { name: string }; input: Input }) => this.#hear(command)
    return { send } as unknown as CloudClients['lambda']
  }

  #hear({ constructor: { name }, input }: { constructor: { name: string }; input: Input }): unknown {
    const operation = name.replace(/Command$/, '')
    if (this.denied === operation) throw rejection('AccessDeniedException', 403)
    const delivery = this.delivery
    this.delivery = 'answered'
    if (delivery === 'late') {
      this.#late.push(() => this.#perform(operation, input))
      throw new WorkerCrash()
    }
    const answer = this.#perform(operation, input)
    if (delivery === 'answer-lost') throw new WorkerCrash()
    return answer
  }

  /** Executes the delayed request. */
  deliverLate(): void {
    for (const perform of this.#late.splice(0)) {
      try {
        perform()
      } catch {
        // rejected without a response
      }
    }
  }

  #perform(operation: string, input: Input): unknown {
    switch (operation) {
      case 'GetAlias':
        return this.#alias()
      case 'UpdateAlias':
        return this.#updateAlias(input)
      case 'UpdateFunctionCode':
        return this.#updateCode(input)
      case 'PublishVersion':
        return this.#publish(input)
      case 'GetFunctionConfiguration':
        return input.Qualifier === undefined ? this.#latest() : this.#version(input.Qualifier)
      case 'GetProvisionedConcurrencyConfig':
        throw rejection('ProvisionedConcurrencyConfigNotFoundException', 404)
      case 'GetFunction':
        return { Configuration: this.#version(input.Qualifier ?? '') }
      default:
        throw new Error(`the model does not know ${operation}`)
    }
  }

  #updateCode({ RevisionId, S3Key: sha = '', DryRun }: Input) {
    if (this.latest.update === 'InProgress') throw rejection('ResourceConflictException', 409)
    if (DryRun) return { ...this.#latest(), CodeSha256: sha }
    this.#check(RevisionId, `f${this.#functionRevision}`)
    this.latest = { sha, update: 'InProgress' }
    this.updates.push(sha)
    this.#functionRevision += 1
    return this.#latest()
  }

  #check(wanted: string | undefined, present: string): void {
    if (wanted !== present) throw rejection('PreconditionFailedException', 412)
  }

  #alias() {
    const { version, additionalVersion, additionalWeight = 0 } = this.routing
    return {
      FunctionVersion: version,
      RevisionId: `a${this.#aliasRevision}`,
      ...(additionalVersion
        ? { RoutingConfig: { AdditionalVersionWeights: { [additionalVersion]: additionalWeight } } }
        : {}),
    }
  }

  #updateAlias({ RevisionId, FunctionVersion: version = '', RoutingConfig }: Input) {
    this.#check(RevisionId, `a${this.#aliasRevision}`)
    if (this.isForeign) throw new Error('the change of somebody else is overwritten')
    const [additional] = Object.entries(RoutingConfig?.AdditionalVersionWeights ?? {})
    for (const wanted of [version, ...(additional ? [additional[0]] : [])]) {
      if (this.versions.get(wanted)?.state !== 'Active')
        throw new Error(`calls would go to ${wanted}, which does not run`)
    }
    this.routing = additional
      ? { version, additionalVersion: additional[0], additionalWeight: additional[1] }
      : { version }
    this.moves.push(this.routing)
    this.#aliasRevision += 1
    return this.#alias()
  }

  #latest() {
    const { sha, update } = this.latest
    return {
      Version: '$LATEST',
      CodeSha256: sha,
      RevisionId: `f${this.#functionRevision}`,
      State: 'Active',
      LastUpdateStatus: update,
    }
  }

  #version(number: string) {
    const version = this.versions.get(number)
    if (!version) throw rejection('ResourceNotFoundException', 404)
    return { Version: number, CodeSha256: version.sha, RevisionId: `v${number}`, State: version.state }
  }

  #publish({ CodeSha256 }: Input) {
    const { sha, update } = this.latest
    if (update === 'InProgress') throw rejection('ResourceConflictException', 409)
    if (CodeSha256 !== sha) throw rejection('InvalidParameterValueException', 400)
    const newest = String(Math.max(...[...this.versions.keys()].map(Number)))
    if (this.versions.get(newest)?.sha === sha) return this.#version(newest)
    const number = String(Number(newest) + 1)
    this.versions.set(number, { sha, state: 'Pending' })
    return this.#version(number)
  }

  /** Completes everything that is in progress. */
  step(): void {
    if (this.latest.update === 'InProgress') {
      this.latest.update = this.fails === 'update' ? 'Failed' : 'Successful'
      this.#functionRevision += 1
    }
    for (const version of this.versions.values()) {
      if (version.state === 'Pending') version.state = this.fails === 'version' ? 'Failed' : 'Active'
    }
  }

  /** Moves the alias as another actor. */
  moveByOthers(): void {
    this.versions.set('5', { sha: 'older', state: 'Active' })
    this.routing = { version: '5' }
    this.isForeign = true
    this.#aliasRevision += 1
  }

  /** Changes the alias as another actor without moving it. */
  describeByOthers(): void {
    this.#aliasRevision += 1
  }

  /** Updates the function's code as another actor: to the given hash, or to new code. */
  updateByOthers(sha?: string): void {
    if (this.latest.update === 'InProgress') return
    this.#functionRevision += 1
    this.latest = { sha: sha ?? `theirs ${this.#functionRevision}`, update: 'InProgress' }
  }

  /** Changes the function's settings as another actor, without changing its code. */
  configureByOthers(): void {
    if (this.latest.update === 'InProgress') return
    this.latest.update = 'InProgress'
    this.#functionRevision += 1
  }

  isAt(routing: Routing): boolean {
    return isSameRouting(this.routing, routing)
  }
}

function rejection(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $metadata: { httpStatusCode } })
}
