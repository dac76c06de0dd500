import { randomUUID } from 'node:crypto'
import type { Target } from '@aws-sdk/client-eventbridge'
import { regionAndAccountOf, type Scope } from '../arns.ts'
import { enqueue } from '../queues/messages.ts'
import { sqs } from '../queues/state.ts'
import { defineState, type World } from '../world.ts'
import { compilePattern } from './pattern.ts'
import { eventBridge } from './state.ts'

export interface CloudEvent {
  source: string
  detailType: string
  resources: string[]
  detail: object
  /** Timestamp; the current time by default. */
  at?: number
}

/** Listeners for the types of all events. */
export const eventListeners = defineState((): ((detailType: string) => void)[] => [])

/**
 * Publishes an event in EventBridge's format to the account's registered URLs and the queues of matching rules. Returns
 * its id.
 */
export function publish(world: World, scope: Scope, event: CloudEvent): string {
  const id = randomUUID()
  for (const listen of eventListeners(world)) listen(event.detailType)
  const { region, account } = regionAndAccountOf(scope)
  const rules = eventBridge(world)
    .rules.having('scope', scope)
    .filter(({ state }) => state === 'ENABLED')
  if (rules.length === 0 && !eventBridge(world).delivery.hasTarget(account)) return id
  const { source, detailType, resources, detail, at = world.clock.timestamp() } = event
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
  const envelope = { version: '0', id, 'detail-type': detailType, source, account, time, region }
  const body = JSON.stringify({ ...envelope, resources, detail })
  eventBridge(world).delivery.send(account, body)
  const asTold = JSON.parse(body) as object
  for (const { pattern, targets } of rules) {
    if (!compilePattern(pattern)(asTold)) continue
    for (const target of targets) {
      const queue = sqs(world).queues.get(target.Arn ?? '')
      const told = bodyFor(target, asTold)
      if (queue)
        for (const delayMs of eventBridge(world).delivery.copies())
          enqueue(world, queue, { body: told, delayMs: delayMs || undefined })
    }
  }
  return id
}

/** Returns what a target receives: the event, a part of it (a path such as `$.detail`), or a constant. */
function bodyFor({ Input, InputPath }: Target, event: object): string {
  if (Input !== undefined) return Input
  const names = (InputPath ?? '$').split('.').slice(1)
  const part = names.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], event)
  return JSON.stringify(part ?? {})
}
