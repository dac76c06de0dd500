import { answerRequest } from './answer-request.ts'
import { scopeOfArn } from './arns.ts'
import { type GroupInstance, groupInstances, type ImportedGroup, importGroup } from './autoscaling/import.ts'
import { CallLog } from './calls.ts'
import { seedChance } from './chance.ts'
import type { SimulationContext } from './cloud-call.ts'
import { type ImportedSite, importSite, keysOfStore, setKeyExternally } from './cloudfront/import.ts'
import type { Behaviour } from './ecs/behaviour.ts'
import { configureImported, type ImportedService, importService, isAtRest } from './ecs/import.ts'
import { failRunningTasks, releaseExternally, type ServiceVersion, versionsOf } from './ecs/versions.ts'
import { type ImportedLoadBalancing, importLoadBalancing, importRule } from './elb/import.ts'
import { eventListeners } from './events/publish.ts'
import { faults } from './faults.ts'
import { identities } from './identities.ts'
import { createRequestHandler, type RequestHandler } from './in-process-requests.ts'
import { routeAliasExternally, trafficOfAlias } from './lambda/aliases.ts'
import { type ImportedCode, type ImportedFunction, importCode, importFunction } from './lambda/import.ts'
import { raiseAlarms } from './monitoring/alarms.ts'
import { importAlarm } from './monitoring/import.ts'
import { Buckets } from './rates.ts'
import { services } from './services.ts'
import { SimControl } from './sim-control.ts'
import { importOutcome } from './ssm/import.ts'
import { newCredentials } from './sts/operations.ts'
import { World } from './world.ts'

export type { GroupInstance, ImportedGroup } from './autoscaling/import.ts'
export type { ImportedSite } from './cloudfront/import.ts'
export type { ServiceVersion } from './ecs/versions.ts'
export type { ImportedCode, ImportedFunction } from './lambda/import.ts'

/** Part of an account, as described by AWS. */
export interface ImportedAccount extends ImportedService, ImportedLoadBalancing {
  alarms: Parameters<typeof importAlarm>[2][]
}

export interface SessionCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
}

/** Lifetime of credentials in seconds, longer than any simulation, because they expire in real time. */
const sessionSeconds = 86_400

/** Maximum cloud time for an imported service's tasks to start. */
const maxSettleMs = 3_600_000

/** Simulated cloud within a process: in memory, without a socket, and with a clock that only `advanceTo` moves. */
export class EmbeddedCloud {
  readonly control: SimControl
  /** Request handler for AWS clients. */
  readonly requestHandler: RequestHandler
  readonly #simulated: SimulationContext
  #nowMs: number

  /** Starts the clock at `startsAt`. The same `seed` reproduces all random faults. */
  constructor({ startsAt, seed }: { startsAt: Date; seed: number }) {
    seedChance(seed)
    this.#nowMs = startsAt.getTime()
    const parts = [faults, ...Object.values(services).map(({ open }) => open)]
    const world = new World(':memory:', { speed: 1, epochMs: this.#nowMs, wall: () => this.#nowMs }, parts)
    this.#simulated = { world, calls: new CallLog(world.store), buckets: new Buckets(), checksAnswers: false }
    this.requestHandler = createRequestHandler(this.#simulated)
    this.control = new SimControl('embedded:', async (method, path, body = '') => {
      const url = new URL(path, 'http://embedded')
      const answer = await answerRequest(this.#simulated, { method, url, headers: {}, body: Buffer.from(body) })
      return { status: answer?.status ?? 500, text: String(answer?.body ?? '') }
    })
  }

  /** Returns the current time of the cloud. */
  now = (): Date => new Date(this.#nowMs)

  /** Returns the time of the next scheduled event, or undefined. */
  nextDueAt(): Date | undefined {
    const at = this.#simulated.world.nextDueAt()
    return at === undefined ? undefined : new Date(at)
  }

  /** Advances the clock and processes every event due by then, each at its own time. */
  advanceTo(time: Date): void {
    this.#nowMs = Math.max(this.#nowMs, time.getTime())
    this.#simulated.world.catchUp()
  }

  /** Returns credentials of a role with all permissions in the account. */
  async signIn(roleArn: string): Promise<SessionCredentials> {
    await this.control.putRole({ roleArn })
    const account = roleArn.split(':')[4] ?? ''
    const session = newCredentials(account, roleArn, 'embedded', sessionSeconds)
    const { world } = this.#simulated
    await world.transact(() => identities(world).credentials.save(session))
    return { accessKeyId: session.key, secretAccessKey: session.secretAccessKey, sessionToken: session.sessionToken }
  }

  /** Creates an Auto Scaling group with its instances under the same ids. */
  importGroup(account: ImportedGroup): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => importGroup(world, account))
  }

  /** Sets the outcome of all commands of a deployment, also of those that run. */
  setCommandOutcome(deployment: string, behaviour: Behaviour): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => importOutcome(world, deployment, behaviour))
  }

  /** Returns the instances of a group that are in service. */
  instancesOf = (groupArn: string): GroupInstance[] => groupInstances(this.#simulated.world, groupArn)

  /** Creates a function with its versions and alias under the same ARNs. */
  importFunction(account: ImportedFunction): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => importFunction(world, account))
  }

  /** Changes the code that a function finds under an address. */
  importCode(code: ImportedCode): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => importCode(world, code))
  }

  /** Routes all calls of an alias to a version, as someone else would. */
  routeAliasExternally(aliasArn: string, version: string): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => routeAliasExternally(world, aliasArn, version))
  }

  /** Returns the percentage of calls by version of an alias; empty if there is no such alias. */
  trafficOfAlias = (aliasArn: string): Record<string, number> => trafficOfAlias(this.#simulated.world, aliasArn)

  /** Creates a static site with its bucket, distributions and key value store. */
  importSite(site: ImportedSite): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => importSite(world, site))
  }

  /** Sets a key of a key value store, or removes it, as someone else would. */
  setKeyExternally(storeArn: string, key: string, value: string | undefined): Promise<void> {
    const { world } = this.#simulated
    return world.transact(() => setKeyExternally(world, storeArn, key, value))
  }

  /** Returns the keys of a key value store with their values; empty if there is no such store. */
  keysOfStore = (storeArn: string): Record<string, string> => keysOfStore(this.#simulated.world, storeArn)

  /** Creates an ECS service's resources under the same ARNs and advances the clock until the service is stable. */
  async importService(account: ImportedAccount): Promise<void> {
    const { service, alarms, rules } = account
    const { world } = this.#simulated
    const serviceArn = service.serviceArn ?? ''
    await world.transact(() => {
      importLoadBalancing(world, account)
      for (const alarm of alarms) importAlarm(world, scopeOfArn(serviceArn), alarm)
      importService(world, account)
    })
    const latest = this.#nowMs + maxSettleMs
    while (!isAtRest(world, serviceArn)) {
      const next = this.nextDueAt()
      if (!next || next.getTime() > latest) throw new Error(`The imported service ${serviceArn} does not come to rest.`)
      this.advanceTo(next)
    }
    // A service's first deployment writes its rules, so they are reset to the account's afterwards.
    await world.transact(() => {
      for (const rule of rules) importRule(world, rule)
      configureImported(world, service)
    })
  }

  /** Calls `listener` with the type of every published event. */
  onEvent(listener: (detailType: string) => void): void {
    eventListeners(this.#simulated.world).push(listener)
  }

  /** Returns the versions of a service that have tasks or receive requests, oldest first. */
  versionsOf = (serviceArn: string): ServiceVersion[] => versionsOf(this.#simulated.world, serviceArn)

  /** Starts an external deployment of the service's previous version. */
  releaseExternally = (serviceArn: string): Promise<void> => {
    const { world } = this.#simulated
    return world.transact(() => releaseExternally(world, serviceArn))
  }

  /** Sets the named alarms in the service's scope to ALARM. */
  raiseAlarms = (serviceArn: string, names: readonly string[]): Promise<void> => {
    const { world } = this.#simulated
    return world.transact(() => raiseAlarms(world, scopeOfArn(serviceArn), names))
  }

  /** Makes the running tasks of a task definition fail their health checks. */
  failRunningTasks = (taskDefinitionArn: string): Promise<void> => {
    const { world } = this.#simulated
    return world.transact(() => failRunningTasks(world, taskDefinitionArn))
  }

  close(): void {
    this.#simulated.world.close()
  }
}
