import { CloudError } from '../errors.ts'
import type { ConstraintViolation } from '../model/input.ts'
import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json10 } from '../wire/json.ts'
import { queueOperations, queueQueryCodes } from './operations.ts'
import { sqs } from './state.ts'

const protocol = json10(queueQueryCodes)

/** Returns the error for invalid input. SQS has its own message for missing parameters. */
function invalid(broken: readonly ConstraintViolation[]): CloudError {
  const missing = broken.find(({ value }) => value === undefined)
  if (!missing) return protocol.errors.invalid(broken)
  const name = missing.path.charAt(0).toUpperCase() + missing.path.slice(1)
  return new CloudError('MissingParameter', `The request must contain the parameter ${name}.`)
}

import { queueRights } from './rights.ts'

export const sqsService: CloudService = {
  title: 'Amazon SQS',
  differences: ['Only standard queues are simulated.'],
  protocol: { ...protocol, errors: { ...protocol.errors, invalid } },
  operations: queueOperations,
  rights: queueRights,
  model: readModel('sqs.model.json', import.meta.url),
  open: sqs,
}
