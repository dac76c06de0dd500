import { readModel } from '../model/model.ts'
import type { Rate } from '../rates.ts'
import type { CloudService } from '../service.ts'
import { json11With } from '../wire/json.ts'
import { logsOperations } from './operations.ts'
import { logRights } from './rights.ts'
import { cloudWatchLogs } from './state.ts'

/** "CloudWatch Logs quotas", read 2026-11, for most regions. */
const rates: Rate[] = [
  { operations: ['FilterLogEvents'], burst: 10, perSecond: 10 },
  { operations: ['GetLogEvents'], burst: 10, perSecond: 10 },
]

export const cloudWatchLogsService: CloudService = {
  title: 'Amazon CloudWatch Logs',
  differences: [
    'Queries, subscriptions and exports are not simulated.',
    'The log group of a task is created, where AWS fails to start the task.',
  ],
  protocol: json11With('InvalidParameterException'),
  operations: logsOperations,
  rights: logRights,
  rates,
  model: readModel('logs.model.json', import.meta.url),
  open: cloudWatchLogs,
}
