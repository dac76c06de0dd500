import type { Credentials, Role } from './callers.ts'
import { Clock, type ClockSetting, newClockSetting, realMsUntil } from './clock.ts'
import type { Cluster } from './ecs/clusters.ts'
import { tend } from './ecs/deployer.ts'
import type { ImageRule } from './ecs/images.ts'
import type { EventLog, Revision, Service, ServiceDeployment } from './ecs/service-records.ts'
import type { TaskDefinition } from './ecs/task-definitions.ts'
import { liveOn, type Task } from './ecs/task-life.ts'
import type { Listener } from './elb/listeners.ts'
import type { LoadBalancer } from './elb/load-balancers.ts'
import type { Rule } from './elb/rules.ts'
import type { TargetGroup } from './elb/target-groups.ts'
import { Delivery } from './events/delivery.ts'
import type { Fault } from './faults.ts'
import { type Row, Store, Table } from './store.ts'
import { Timers } from './timers.ts'
import { defaultTiming, type Timing } from './timing.ts'

/** Settings that are one row each: the clock and the timing. */
interface Setting extends Row {
  clock?: ClockSetting
  timing?: Timing
}

/** No more due timers at one go than this; then requests have their turn. */
const timersPerTurn = 2_000

/**
 * Everything the simulated cloud knows, and its passing of time. What is due happens in order, each thing at the moment
 * when it was due, before anything else looks at the world (`catchUp`).
 */
export class World {
  readonly store: Store
  readonly clock: Clock
  readonly delivery: Delivery
  readonly clusters: Table<Cluster>
  readonly taskDefinitions: Table<TaskDefinition>
  readonly services: Table<Service>
  readonly revisions: Table<Revision>
  readonly serviceDeployments: Table<ServiceDeployment>
  readonly eventLogs: Table<EventLog>
  readonly tasks: Table<Task>
  readonly imageRules: Table<ImageRule>
  readonly loadBalancers: Table<LoadBalancer>
  readonly listeners: Table<Listener>
  readonly rules: Table<Rule>
  readonly targetGroups: Table<TargetGroup>
  readonly roles: Table<Role>
  readonly credentials: Table<Credentials>
  readonly faults: Table<Fault>
  readonly #settings: Table<Setting>
  readonly #timers = new Timers()
  #next: NodeJS.Timeout | undefined
  #nextAt: number | undefined
  #isClosed = false

  constructor(stateFile: string, speed: number) {
    this.store = new Store(stateFile, this.#timers)
    this.#settings = new Table<Setting>(this.store, 'setting')
    const clock = this.#settings.get('clock')?.clock
    this.clock = new Clock(clock ?? newClockSetting(speed))
    if (this.clock.setting.speed !== speed) this.clock.changeSpeed(speed)
    this.#saveClock()
    this.clusters = new Table<Cluster>(this.store, 'cluster', { scope: (row) => row.scope })
    this.taskDefinitions = new Table<TaskDefinition>(this.store, 'task-definition', {
      family: (row) => `${row.scope} ${row.family}`,
      scope: (row) => row.scope,
    })
    this.services = new Table<Service>(this.store, 'service', { cluster: (row) => row.clusterArn })
    this.revisions = new Table<Revision>(this.store, 'service-revision', { service: (row) => row.serviceArn })
    this.serviceDeployments = new Table<ServiceDeployment>(this.store, 'service-deployment', {
      service: (row) => row.serviceArn,
    })
    this.eventLogs = new Table<EventLog>(this.store, 'event-log')
    this.tasks = new Table<Task>(this.store, 'task', {
      revision: (row) => row.revisionArn ?? '',
      cluster: (row) => row.clusterArn,
      service: (row) => row.serviceArn ?? '',
    })
    this.imageRules = new Table<ImageRule>(this.store, 'image-rule')
    this.loadBalancers = new Table<LoadBalancer>(this.store, 'load-balancer', { scope: (row) => row.scope })
    this.listeners = new Table<Listener>(this.store, 'listener', { loadBalancer: (row) => row.loadBalancerArn })
    this.rules = new Table<Rule>(this.store, 'rule', {
      scope: (row) => row.scope,
      listener: (row) => row.listenerArn,
    })
    this.targetGroups = new Table<TargetGroup>(this.store, 'target-group', { scope: (row) => row.scope })
    this.roles = new Table<Role>(this.store, 'role')
    this.credentials = new Table<Credentials>(this.store, 'credentials')
    this.faults = new Table<Fault>(this.store, 'fault')
    this.delivery = new Delivery(this.store)
    this.tasks.onWake((task) => {
      liveOn(this, task)
      if (task.serviceArn) tend(this, task.serviceArn)
    })
    this.serviceDeployments.onWake((deployment) => tend(this, deployment.serviceArn))
    this.services.onWake((service) => tend(this, service.key))
    this.#schedule()
  }

  get timing(): Timing {
    return this.#settings.get('timing')?.timing ?? defaultTiming
  }

  changeTiming(changes: Partial<Timing>): void {
    this.#settings.save({ key: 'timing', timing: { ...this.timing, ...changes } })
  }

  /** Cloud time `seconds` from now. */
  in(seconds: number): number {
    return this.clock.now() + seconds * 1000
  }

  /** Brings the world to the present, then runs `work` in it and commits: the promise resolves with work on disk. */
  async transact<T>(work: () => T): Promise<T> {
    this.catchUp()
    try {
      return work()
    } finally {
      this.#schedule()
      await this.store.commit()
    }
  }

  catchUp(limit = Number.POSITIVE_INFINITY): void {
    const until = this.clock.reading()
    for (let rung = 0; rung < limit; rung++) {
      const timer = this.#timers.takeDue(until)
      if (!timer) return
      this.clock.at(timer.at, () => timer.ring(timer.at))
    }
  }

  advance(seconds: number): void {
    this.catchUp()
    this.clock.advance(seconds)
    this.#saveClock()
    this.catchUp()
  }

  changeSpeed(speed: number): void {
    this.catchUp()
    this.clock.changeSpeed(speed)
    this.#saveClock()
    this.#nextAt = undefined
  }

  /** Forgets everything but the clock. */
  reset(): void {
    const tables = [this.clusters, this.taskDefinitions, this.services, this.revisions, this.serviceDeployments]
    const more = [this.eventLogs, this.tasks, this.imageRules, this.loadBalancers, this.listeners, this.rules]
    const rest = [this.targetGroups, this.roles, this.credentials, this.faults]
    for (const table of [...tables, ...more, ...rest]) table.clear()
    this.#settings.remove({ key: 'timing' })
    this.delivery.clear()
    this.#timers.clear()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#next)
    this.delivery.close()
    this.store.close()
  }

  #saveClock(): void {
    this.#settings.save({ key: 'clock', clock: this.clock.setting })
  }

  /** Sets the one real timer for the earliest thing that is due. */
  #schedule(): void {
    const at = this.#timers.nextAt()
    if (this.#isClosed || at === undefined || at === this.#nextAt) return
    clearTimeout(this.#next)
    this.#nextAt = at
    // setTimeout holds at most 2^31-1 ms; a later moment is looked at again then
    this.#next = setTimeout(() => this.#tick(), Math.min(Math.ceil(realMsUntil(this.clock, at)), 2 ** 31 - 1))
  }

  #tick(): void {
    this.#nextAt = undefined
    this.catchUp(timersPerTurn)
    void this.store.commit().catch((error: unknown) => {
      throw error // the state file is lost: better to fall over than to go on in memory
    })
    this.#schedule()
  }
}
