import { answerRequest } from './answer-request.ts'
import { scopeOfArn } from './arns.ts'
import { CallLog } from './calls.ts'
import { seedChance } from './chance.ts'
import type { Simulated } from './cloud-call.ts'
import { configureImported, type ImportedService, importService, isAtRest } from './ecs/import.ts'
import { failRunningTasks, releaseExternally, type ServiceVersion, versionsOf } from './ecs/versions.ts'
import { type ImportedLoadBalancing, importLoadBalancing, importRule } from './elb/import.ts'
import { eventListeners } from './events/publish.ts'
import { faults } from './faults.ts'
import { identities } from './identities.ts'
import { createRequestHandler, type RequestHandler } from './in-process-requests.ts'
import { raiseAlarms } from './monitoring/alarms.ts'
import { importAlarm } from './monitoring/import.ts'
import { Buckets } from './rates.ts'
import { services } from './services.ts'
import { SimControl } from './sim-control.ts'
import { newCredentials } from './sts/operations.ts'
import { World } from './world.ts'

export type { ServiceVersion } from './ecs/versions.ts'

/** A part of an account, as its own describe operations show it. */
export interface ImportedAccount extends ImportedService, ImportedLoadBalancing {
  alarms: Parameters<typeof importAlarm>[2][]
}

export interface SessionCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
}

/** More than any rehearsal takes: the credentials are checked by the real clock. */
const sessionSeconds = 86_400

/** An imported service has this long until all its tasks run. */
const maxSettleMs = 3_600_000

/**
 * A simulated cloud within a program: in memory, without a socket and without real time. Its clock stands still until
 * `advanceTo` moves it.
 */
export class EmbeddedCloud {
  readonly control: SimControl
  /** Takes the requests of an AWS client, as its `requestHandler`. */
  readonly requestHandler: RequestHandler
  readonly #simulated: Simulated
  #nowMs: number

  /** The clock begins at `startsAt`. The same `seed` makes chance fall the same way. */
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

  /** The present of the cloud. */
  now = (): Date => new Date(this.#nowMs)

  /** Returns when the next change in the cloud is due; undefined if none is. */
  nextDueAt(): Date | undefined {
    const at = this.#simulated.world.nextDueAt()
    return at === undefined ? undefined : new Date(at)
  }

  /** Lets time pass: everything that is due by then happens, each thing at its moment. */
  advanceTo(time: Date): void {
    this.#nowMs = Math.max(this.#nowMs, time.getTime())
    this.#simulated.world.catchUp()
  }

  /** Credentials of a session with a role that may do everything in the account. */
  async signIn(roleArn: string): Promise<SessionCredentials> {
    await this.control.putRole({ roleArn })
    const account = roleArn.split(':')[4] ?? ''
    const session = newCredentials(account, roleArn, 'embedded', sessionSeconds)
    const { world } = this.#simulated
    await world.transact(() => identities(world).credentials.save(session))
    return { accessKeyId: session.key, secretAccessKey: session.secretAccessKey, sessionToken: session.sessionToken }
  }

  /** Creates what an account has, under the same ARNs, and lets time pass until its service has come to rest. */
  async import(account: ImportedAccount): Promise<void> {
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
    // The first deployment of a service writes its rules; the account may have others.
    await world.transact(() => {
      for (const rule of rules) importRule(world, rule)
      configureImported(world, service)
    })
  }

  /** Calls `listener` with the type of every event that the cloud publishes. */
  onEvent(listener: (detailType: string) => void): void {
    eventListeners(this.#simulated.world).push(listener)
  }

  /** The versions of a service that run or get requests now, oldest first. */
  versionsOf = (serviceArn: string): ServiceVersion[] => versionsOf(this.#simulated.world, serviceArn)

  /** Starts a release of what the service runs, as someone does by other means than Sluice. */
  releaseExternally = (serviceArn: string): Promise<void> => {
    const { world } = this.#simulated
    return world.transact(() => releaseExternally(world, serviceArn))
  }

  /** Sets the alarms of these names in the scope of a service. */
  raiseAlarms = (serviceArn: string, names: readonly string[]): Promise<void> => {
    const { world } = this.#simulated
    return world.transact(() => raiseAlarms(world, scopeOfArn(serviceArn), names))
  }

  /** Makes the running tasks of a task definition fail their health checks from now on. */
  failRunningTasks = (taskDefinitionArn: string): Promise<void> => {
    const { world } = this.#simulated
    return world.transact(() => failRunningTasks(world, taskDefinitionArn))
  }

  close(): void {
    this.#simulated.world.close()
  }
}
