import type { Logger } from 'pino'
import type { Archive } from './archive/archive.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/settings.ts'
import type { Keys } from './crypto/keys.ts'
import type { Forget } from './db/forgetting.ts'
import type { Database } from './db/open.ts'
import type { Ownership } from './db/ownership.ts'
import type { Sweep } from './db/sweeps.ts'
import type { Engine } from './engine/client.ts'
import type { Overdue } from './engine/overdue.ts'
import type { Timers } from './engine/timers.ts'
import type { WakeUps } from './engine/wake-ups.ts'
import type { Services } from './engine/worker.ts'
import type { App } from './http/app.ts'
import type { OwnRequests } from './http/own-requests.ts'
import type { OpenPage } from './http/pagination.ts'
import type { Limits } from './limits/limits.ts'
import type { LogArea } from './log/areas.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type Declarations, dependentsIn } from './records.ts'
import type { Spans } from './traces/present.ts'

/** The parts of a process that domains share. Each domain builds from them what it alone needs. */
export type Platform = {
  domains: readonly Domain[]
  config: Config
  /** `db` sees every organization. docs/architecture.md lists what receives it, and a test compares the list. */
  database: Pick<Database, 'db' | 'ofOrganization'>
  engine: Engine & { knowsWorker(): Promise<boolean | undefined> }
  keys: Keys
  clock: Clock
  log: Logger
  logs: Record<LogArea, Logger>
  metrics: Metrics
  spans: Spans | undefined
  limits: Limits
  wakeUps: WakeUps
  archive: Archive | undefined
  openPage: OpenPage
  /** Requests that this process makes of its own operations. */
  ownRequests: OwnRequests
  /** Whether all organizations belong to one tenant, however many there are. */
  hasOneTenant: boolean
  /** Whether callers are to come: everything is prepared, and the process does not end. */
  isWanted(): boolean
  isClockRight(): boolean | undefined
  /** Has `close` called once the engine has stopped, and with it the handlers that use what is closed. */
  closeAfterEngine(close: () => unknown): void
}

/** A domain of the server, as `domains.ts` lists it: all that a process needs to know of it. */
export type Domain = {
  /** The records of the domain. */
  records?: Declarations
  /** Runs before any domain serves its operations, for what concerns the operations of all. */
  prepareApp?(app: App): void | Promise<void>
  /** Serves the operations of the domain. */
  serve(app: App, platform: Platform): void | Promise<void>
  /** What the domain does for domains below it, which cannot import it. */
  extensions?(platform: Platform): Extension[]
  /** Runs before any part of the worker role starts. */
  prepareWork?(platform: Platform): Promise<void>
  /** Returns the work of the domain in the worker role; `undo` receives what must stop with the role. */
  work?(platform: Platform, worker: WorkerContext): Work
  /** Removes rows that have outlived their retention. */
  forget?(config: Config): Forget[]
  /** The same, for rows that are read for minutes only. */
  forgetEachMinute?: Forget[]
}

export type WorkerContext = { own: Ownership; timers: Timers; undo(stop: () => unknown): void }

/** The work of a domain in the worker role. */
export type Work = {
  /** The durable objects that the engine calls. */
  objects?: ((clock: Clock) => Services[number])[]
  /** Finds messages that may be lost, so that the reconciler sends them again. */
  overdue?: Overdue[]
  sweeps?: Sweep[]
  /** Starts periodic tasks, once the engine knows the objects. */
  tasks?: (() => { stop(): unknown } | undefined)[]
}

/** A value that a process builds once, when it is first needed. */
export type Part<T> = {
  (platform: Platform): T
  /** Replaces the value in a test. */
  provide(platform: Platform, value: T): void
}

/** Defines a part. Stateful parts that several features or roles share need one; stateless values do not. */
export function part<T>(build: (platform: Platform) => T): Part<T> {
  const values = new WeakMap<Platform, T>()
  const find = (platform: Platform): T => {
    if (!values.has(platform)) values.set(platform, build(platform))
    return values.get(platform) as T
  }
  return Object.assign(find, { provide: (platform: Platform, value: T) => void values.set(platform, value) })
}

/** Defines a value that the operations of an app share. */
export function appPart<T>(build: (app: App, platform: Platform) => T): (app: App, platform: Platform) => T {
  const values = new WeakMap<App, T>()
  return (app, platform) => {
    if (!values.has(app)) values.set(app, build(app, platform))
    return values.get(app) as T
  }
}

/** A value that a domain registers at an extension point of a domain below it. */
export type Extension = { point: object; value: unknown }

/** Where domains above register what a domain cannot import: subscribers of its events, or answers to its questions. */
export type ExtensionPoint<T> = {
  extend(value: T): Extension
  /** Returns all that is registered, in the order of the domains. */
  all(platform: Platform): T[]
  /** Returns the one value that is registered; throws where there is none, or more than one. */
  one(platform: Platform): T
}

/** Returns the records of all domains. */
export const declarationsOf = part((platform) => platform.domains.flatMap(({ records = [] }) => records))

export const findDependentsOf = part((platform) => dependentsIn(declarationsOf(platform)))

const extensionsOf = part((platform) => platform.domains.flatMap((domain) => domain.extensions?.(platform) ?? []))

export function extensionPoint<T>(name: string): ExtensionPoint<T> {
  const point: ExtensionPoint<T> = {
    extend: (value) => ({ point, value }),
    all: (platform) =>
      extensionsOf(platform).flatMap((extension) => (extension.point === point ? [extension.value as T] : [])),
    one(platform) {
      const [value, ...others] = point.all(platform)
      if (value !== undefined && others.length === 0) return value
      throw new Error(`Exactly one domain must extend "${name}". Check the extensions in the domain.ts files.`)
    },
  }
  return point
}

/** Returns what most operations are made of. */
export const operationParts = ({ engine, database, openPage, clock, log }: Platform) => ({
  engine,
  ofOrganization: database.ofOrganization,
  openPage,
  clock: clock.now,
  log,
})
