import { randomUUID } from 'node:crypto'
import type { World } from '../world.ts'
import type { Service } from './service-records.ts'
import { ecs } from './state.ts'

const eventsKept = 100

/** Records a service event with AWS's message, as in DescribeServices. */
export function recordServiceEvent(world: World, service: Service, message: string): void {
  const log = ecs(world).eventLogs.get(service.key) ?? { key: service.key, events: [] }
  log.events.unshift({
    id: randomUUID(),
    createdAt: world.clock.timestamp(),
    message: `(service ${service.name}) ${message}`,
  })
  log.events.length = Math.min(log.events.length, eventsKept)
  ecs(world).eventLogs.save(log)
}
