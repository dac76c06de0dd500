import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json10 } from '../wire/json.ts'
import { monitoringOperations, monitoringQueryCodes } from './operations.ts'
import { monitoringRights } from './rights.ts'
import { cloudWatch } from './state.ts'

export const cloudWatchService: CloudService = {
  protocol: json10(monitoringQueryCodes),
  operations: monitoringOperations,
  actionPrefix: 'cloudwatch',
  rights: monitoringRights,
  model: readModel('monitoring.model.json', import.meta.url),
  open: cloudWatch,
}
