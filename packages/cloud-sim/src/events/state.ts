import type { Target } from '@aws-sdk/client-eventbridge'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import { state } from '../world.ts'
import { Delivery } from './delivery.ts'

/** Key: the rule ARN. Rules of the default bus; there is no other. */
export interface Rule extends Row {
  scope: Scope
  name: string
  pattern: string
  state: 'ENABLED' | 'DISABLED'
  description?: string | undefined
  targets: Target[]
  tags: ListTag[]
}

/** What the event bus keeps, and what brings its events to registered URLs. */
export const eventBridge = state((world) => ({
  rules: world.table<Rule>('event-rule', { scope: (row) => row.scope }, { isEventual: true }),
  delivery: new Delivery(world),
}))
