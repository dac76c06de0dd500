import type { CloudService } from '../service.ts'
import { json10 } from '../wire/json.ts'
import { queueOperations, queueQueryCodes } from './operations.ts'
import { sqs } from './state.ts'

export const sqsService: CloudService = {
  protocol: json10(queueQueryCodes),
  operations: queueOperations,
  open: sqs,
}
