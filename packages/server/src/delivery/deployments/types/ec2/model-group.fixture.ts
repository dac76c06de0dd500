import type { GroupRelease } from '@sluice/contract'
import type { CommandSnapshot, InstanceReading, Member } from '../../../../cloud/facts/ec2.ts'

type Run = InstanceReading & { isSent: boolean }

type ModelCommand = {
  commandId: string
  comment: string
  release: GroupRelease
  errorsMax: number
  status: 'InProgress' | 'Cancelling' | 'Success' | 'Failed' | 'Cancelled'
  runs: Run[]
}

/**
 * Number of steps from the launch of an instance until it serves, so that some instances are starting when a release
 * ends.
 */
const launchSteps = 5

/**
 * In-memory model of a group and its remote commands. Instances come and go; a command runs on one instance after the
 * other.
 */
export class ModelGroup {
  readonly instances = new Map<string, { age: number; isServing: boolean; isReachable: boolean; runs?: string }>()
  readonly commands: ModelCommand[] = []
  current: GroupRelease | undefined
  /** Number of the next runs that fail. */
  failures = 0
  /** Whether a credential for the repository is stored. */
  hasCredential = false
  #launched = 0

  constructor(size: number, current: GroupRelease | undefined) {
    this.current = current
    for (let count = 0; count < size; count++) this.launch(true)
  }

  /** Launches an instance, which runs the published release. */
  launch(isServing = false): void {
    this.#launched += 1
    const runs = this.current?.deploymentId
    this.instances.set(`i-${this.#launched}`, {
      age: 0,
      isServing,
      isReachable: isServing,
      ...(runs === undefined ? {} : { runs }),
    })
  }

  terminate(): void {
    const [first] = this.instances.keys()
    if (first !== undefined) this.instances.delete(first)
  }

  members(): Member[] {
    return [...this.instances].map(([instanceId, { isServing, isReachable }]) => ({
      instanceId,
      isServing,
      isReachable,
    }))
  }

  send(comment: string, release: GroupRelease, instanceIds: string[], errorsMax: number): string {
    const commandId = `command-${this.commands.length + 1}`
    const runs = instanceIds
      .filter((instanceId) => this.instances.has(instanceId))
      .map((instanceId): Run => ({ instanceId, status: 'PENDING', isSent: false }))
    this.commands.push({ commandId, comment, release, errorsMax, status: 'InProgress', runs })
    return commandId
  }

  find(comment: string): string | undefined {
    return this.commands.find((command) => command.comment === comment)?.commandId
  }

  cancel(commandId: string, instanceIds?: string[]): void {
    const command = this.#command(commandId)
    if (command.status !== 'InProgress') return
    const meant = command.runs.filter(({ instanceId }) => instanceIds?.includes(instanceId) ?? true)
    for (const run of meant) if (isOpen(run)) run.status = 'CANCELLED'
    if (!instanceIds) command.status = 'Cancelling'
  }

  /** Advances everything in progress by one step. */
  step(): void {
    for (const instance of this.instances.values()) {
      instance.age += 1
      instance.isReachable = instance.isServing
      instance.isServing ||= instance.age >= launchSteps
    }
    for (const command of this.commands) this.#stepCommand(command)
  }

  #stepCommand(command: ModelCommand): void {
    if (command.status !== 'InProgress' && command.status !== 'Cancelling') return
    const running = command.runs.find(({ status }) => status === 'IN_PROGRESS')
    const errors = () => command.runs.filter(({ status }) => status === 'FAILED').length
    if (running && this.instances.has(running.instanceId)) this.#end(command, running)
    const hasFailed = errors() > command.errorsMax
    const next = command.runs.find((run) => isOpen(run) && !run.isSent)
    if (next && hasFailed) for (const run of command.runs) if (isOpen(run) && !run.isSent) run.status = 'CANCELLED'
    if (next && !hasFailed && !running) Object.assign(next, { isSent: true, status: 'IN_PROGRESS' })
    if (command.runs.some(isOpen)) return
    if (command.status === 'Cancelling') command.status = 'Cancelled'
    else command.status = hasFailed ? 'Failed' : 'Success'
  }

  #end({ release }: ModelCommand, run: Run): void {
    const instance = this.instances.get(run.instanceId)
    if (!instance) return
    const fails = this.failures > 0
    if (fails) this.failures -= 1
    run.status = fails ? 'FAILED' : 'SUCCESS'
    instance.runs = fails ? 'broken' : release.deploymentId
  }

  snapshot(commandId: string): CommandSnapshot {
    const { status, runs } = this.#command(commandId)
    const isOver = status !== 'InProgress' && status !== 'Cancelling'
    const readings = runs.map(({ isSent: _, ...run }): InstanceReading => ({ ...run, commandId }))
    return { commandId, status, isOver, readings }
  }

  #command(commandId: string): ModelCommand {
    const command = this.commands.find((one) => one.commandId === commandId)
    if (!command) throw new Error(`there is no command ${commandId}`)
    return command
  }
}

const isOpen = ({ status }: Run) => status === 'PENDING' || status === 'IN_PROGRESS'
