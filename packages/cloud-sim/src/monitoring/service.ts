import type { CloudService } from '../service.ts'
import { json10 } from '../wire/json.ts'
import { monitoringOperations, monitoringQueryCodes } from './operations.ts'
import { cloudWatch } from './state.ts'

export const cloudWatchService: CloudService = {
  protocol: json10(monitoringQueryCodes),
  operations: monitoringOperations,
  open: cloudWatch,
}
