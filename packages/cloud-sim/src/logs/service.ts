import type { CloudService } from '../service.ts'
import { json11 } from '../wire/json.ts'
import { logsOperations } from './operations.ts'
import { cloudWatchLogs } from './state.ts'

export const cloudWatchLogsService: CloudService = {
  protocol: json11,
  operations: logsOperations,
  open: cloudWatchLogs,
}
