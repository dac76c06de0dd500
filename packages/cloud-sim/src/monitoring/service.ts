import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json10 } from '../wire/json.ts'
import { monitoringOperations, monitoringQueryCodes } from './operations.ts'
import { cloudWatch } from './state.ts'

export const cloudWatchService: CloudService = {
  protocol: json10(monitoringQueryCodes),
  operations: monitoringOperations,
  actionPrefix: 'cloudwatch',
  model: readModel('monitoring.model.json', import.meta.url),
  open: cloudWatch,
}
