import { EventEmitter } from 'node:events'
import type { Activity } from './autoscaling/activities.ts'
import { type Instance, liveOn as liveOnAsInstance } from './autoscaling/instances.ts'
import type { Group } from './autoscaling/records.ts'
import type { Credentials, Role } from './callers.ts'
import { Clock, type ClockSetting, newClockSetting, realMsUntil } from './clock.ts'
import type { Distribution } from './cloudfront/distributions.ts'
import type { Invalidation } from './cloudfront/invalidations.ts'
import type { KeyValueStore } from './cloudfront/key-value-stores.ts'
import type { Cluster } from './ecs/clusters.ts'
import type { CommandRule } from './ecs/commands.ts'
import { tend } from './ecs/deployer.ts'
import type { ImageRule } from './ecs/images.ts'
import type { RunRequest } from './ecs/run-task.ts'
import type { EventLog, Revision, Service, ServiceDeployment } from './ecs/service-records.ts'
import type { TaskDefinition } from './ecs/task-definitions.ts'
import { liveOn, type Task } from './ecs/task-life.ts'
import type { Listener } from './elb/listeners.ts'
import type { LoadBalancer } from './elb/load-balancers.ts'
import type { Rule } from './elb/rules.ts'
import type { TargetGroup } from './elb/target-groups.ts'
import { Delivery } from './events/delivery.ts'
import type { Rule as EventRule } from './events/rules.ts'
import type { Fault } from './faults.ts'
import { settle } from './lambda/functions.ts'
import type { Alias, FunctionVersion, LambdaFunction } from './lambda/records.ts'
import type { LogGroup } from './logs/groups.ts'
import type { LogBatch, LogStream } from './logs/streams.ts'
import type { Alarm } from './monitoring/alarms.ts'
import type { Metric, MetricHour } from './monitoring/metrics.ts'
import type { QueueMessage } from './queues/messages.ts'
import type { Queue } from './queues/queues.ts'
import type { Bucket } from './s3/buckets.ts'
import type { StoredObject } from './s3/objects.ts'
import { endInvocation, tendCommand } from './ssm/command-run.ts'
import type { Document } from './ssm/documents.ts'
import type { StoredParameter } from './ssm/parameters.ts'
import type { Command, Invocation } from './ssm/records.ts'
import { type Indexes, type Row, Store, Table } from './store.ts'
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
  readonly commandRules: Table<CommandRule>
  readonly runRequests: Table<RunRequest>
  readonly loadBalancers: Table<LoadBalancer>
  readonly listeners: Table<Listener>
  readonly rules: Table<Rule>
  readonly targetGroups: Table<TargetGroup>
  readonly metrics: Table<Metric>
  readonly metricHours: Table<MetricHour>
  readonly alarms: Table<Alarm>
  readonly logGroups: Table<LogGroup>
  readonly logStreams: Table<LogStream>
  readonly logBatches: Table<LogBatch>
  readonly eventRules: Table<EventRule>
  readonly queues: Table<Queue>
  readonly messages: Table<QueueMessage>
  /** Rings by the ARN of a queue when there may be something to receive. */
  readonly queueBell = new EventEmitter().setMaxListeners(0)
  readonly functions: Table<LambdaFunction>
  readonly functionVersions: Table<FunctionVersion>
  readonly functionAliases: Table<Alias>
  readonly buckets: Table<Bucket>
  readonly objects: Table<StoredObject>
  readonly distributions: Table<Distribution>
  readonly invalidations: Table<Invalidation>
  readonly keyValueStores: Table<KeyValueStore>
  readonly autoScalingGroups: Table<Group>
  readonly instances: Table<Instance>
  readonly activities: Table<Activity>
  readonly documents: Table<Document>
  readonly parameters: Table<StoredParameter>
  readonly commands: Table<Command>
  readonly invocations: Table<Invocation>
  readonly roles: Table<Role>
  readonly credentials: Table<Credentials>
  readonly faults: Table<Fault>
  readonly #settings: Table<Setting>
  readonly #tables: { clear(): void }[] = []
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
    this.clusters = this.#table<Cluster>('cluster', { scope: (row) => row.scope })
    this.taskDefinitions = this.#table<TaskDefinition>('task-definition', {
      family: (row) => `${row.scope} ${row.family}`,
      scope: (row) => row.scope,
    })
    this.services = this.#table<Service>('service', { cluster: (row) => row.clusterArn })
    this.revisions = this.#table<Revision>('service-revision', { service: (row) => row.serviceArn })
    this.serviceDeployments = this.#table<ServiceDeployment>('service-deployment', {
      service: (row) => row.serviceArn,
    })
    this.eventLogs = this.#table<EventLog>('event-log')
    this.tasks = this.#table<Task>('task', {
      revision: (row) => row.revisionArn ?? '',
      cluster: (row) => row.clusterArn,
      service: (row) => row.serviceArn ?? '',
    })
    this.imageRules = this.#table<ImageRule>('image-rule')
    this.commandRules = this.#table<CommandRule>('command-rule')
    this.runRequests = this.#table<RunRequest>('run-request')
    this.loadBalancers = this.#table<LoadBalancer>('load-balancer', { scope: (row) => row.scope })
    this.listeners = this.#table<Listener>('listener', { loadBalancer: (row) => row.loadBalancerArn })
    this.rules = this.#table<Rule>('rule', {
      scope: (row) => row.scope,
      listener: (row) => row.listenerArn,
    })
    this.targetGroups = this.#table<TargetGroup>('target-group', { scope: (row) => row.scope })
    this.metrics = this.#table<Metric>('metric', { scope: (row) => row.scope })
    this.metricHours = this.#table<MetricHour>('metric-hour', { metric: (row) => row.metric })
    this.alarms = this.#table<Alarm>('alarm', { scope: (row) => row.scope })
    this.logGroups = this.#table<LogGroup>('log-group', { scope: (row) => row.scope })
    this.logStreams = this.#table<LogStream>('log-stream', { group: (row) => row.group })
    this.logBatches = this.#table<LogBatch>('log-batch', { stream: (row) => row.stream })
    this.eventRules = this.#table<EventRule>('event-rule', { scope: (row) => row.scope })
    this.queues = this.#table<Queue>('queue', { scope: (row) => row.scope })
    this.messages = this.#table<QueueMessage>('queue-message', { queue: (row) => row.queue })
    this.functions = this.#table<LambdaFunction>('function')
    this.functionVersions = this.#table<FunctionVersion>('function-version', { function: (row) => row.functionArn })
    this.functionAliases = this.#table<Alias>('function-alias', { function: (row) => row.functionArn })
    this.buckets = this.#table<Bucket>('bucket')
    this.objects = this.#table<StoredObject>('object', { bucket: (row) => row.bucket })
    this.distributions = this.#table<Distribution>('distribution', { account: (row) => row.account })
    this.invalidations = this.#table<Invalidation>('invalidation', { distribution: (row) => row.distributionId })
    this.keyValueStores = this.#table<KeyValueStore>('key-value-store', { account: (row) => row.account })
    this.autoScalingGroups = this.#table<Group>('auto-scaling-group', { scope: (row) => row.scope })
    this.instances = this.#table<Instance>('instance', { scope: (row) => row.scope, group: (row) => row.groupArn })
    this.activities = this.#table<Activity>('scaling-activity', { group: (row) => row.groupArn })
    this.documents = this.#table<Document>('document')
    this.parameters = this.#table<StoredParameter>('parameter')
    this.commands = this.#table<Command>('command', { scope: (row) => row.scope })
    this.invocations = this.#table<Invocation>('invocation', { command: (row) => row.commandId })
    this.roles = this.#table<Role>('role')
    this.credentials = this.#table<Credentials>('credentials')
    this.faults = this.#table<Fault>('fault')
    this.delivery = new Delivery(this.store)
    this.tasks.onWake((task) => {
      liveOn(this, task)
      if (task.serviceArn) tend(this, task.serviceArn)
    })
    this.serviceDeployments.onWake((deployment) => tend(this, deployment.serviceArn))
    this.services.onWake((service) => tend(this, service.key))
    this.functionVersions.onWake((version) => settle(this, version))
    this.instances.onWake((instance) => liveOnAsInstance(this, instance))
    this.commands.onWake((command) => tendCommand(this, command))
    this.invocations.onWake((invocation) => endInvocation(this, invocation))
    this.#schedule()
  }

  /** A table that a reset empties. */
  #table<T extends Row>(kind: string, indexes: Indexes<T> = {}): Table<T> {
    const table = new Table<T>(this.store, kind, indexes)
    this.#tables.push(table)
    return table
  }

  get timing(): Timing {
    return { ...defaultTiming, ...this.#settings.get('timing')?.timing }
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
    for (const table of this.#tables) table.clear()
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
