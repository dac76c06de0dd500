import type { Target } from '@aws-sdk/client-eventbridge'
import type { Scope } from '../arns.ts'
import type { Row } from '../store.ts'
import type { ListTag } from '../tag-list.ts'
import { defineState } from '../world.ts'
import { Delivery } from './delivery.ts'

/** Rule of the default event bus, the only one. Key: the rule ARN. */
export interface Rule extends Row {
  scope: Scope
  name: string
  pattern: string
  state: 'ENABLED' | 'DISABLED'
  description?: string | undefined
  targets: Target[]
  tags: ListTag[]
}

/** State of EventBridge, and the delivery of events to registered URLs. */
export const eventBridge = defineState((world) => ({
  rules: world.table<Rule>('event-rule', { scope: (row) => row.scope }, { isEventual: true }),
  delivery: new Delivery(world),
}))
