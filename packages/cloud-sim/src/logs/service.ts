import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { logsOperations } from './operations.ts'
import { logRights } from './rights.ts'
import { cloudWatchLogs } from './state.ts'

export const cloudWatchLogsService: CloudService = {
  protocol: json11With('InvalidParameterException'),
  operations: logsOperations,
  rights: logRights,
  model: readModel('logs.model.json', import.meta.url),
  open: cloudWatchLogs,
}
