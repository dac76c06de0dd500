import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11 } from '../wire/json.ts'
import { eventBridgeControl } from './control.ts'
import { eventOperations } from './operations.ts'
import { eventRights } from './rights.ts'
import { eventBridge } from './state.ts'

export const eventBridgeService: CloudService = {
  title: 'Amazon EventBridge',
  differences: [
    'Only the default event bus is simulated.',
    'Targets are SQS queues. `PUT /_sim/delivery` adds a URL, which receives events as from an API destination.',
  ],
  protocol: json11,
  operations: eventOperations,
  rights: eventRights,
  model: readModel('events.model.json', import.meta.url),
  open: eventBridge,
  control: eventBridgeControl,
}
